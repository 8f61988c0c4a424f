// Replays recorded trainings as a study in which several workers train at the same time and a rule
// stops trainings early.
//
// Workers take the order's trainings one after the other. Each training takes its own time for a
// step. After each report but that of the last step the rule is asked about the training that made
// it; the order of events is that of time, and with equal times that of the workers' numbers.
// A training that ends after its last step is measured, its result being the last value.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_STOPPING_REPLAY_H_
#define SLIPSTREAM_TESTS_EVIDENCE_STOPPING_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/stopping/stopping_rule.h"
#include "tests/evidence/stopping/recorded_curves.h"

namespace slipstream::evidence {

// The trainings that a study makes, in the order in which they begin.
struct ReplayOrder {
  struct Training {
    size_t curve = 0;     // Index in the task.
    double duration = 1;  // The time that a step takes.
  };
  std::vector<Training> trainings;
};

// `count` different curves of the task, or all if it has fewer, and durations from 1/2 to 2; the
// seed determines both.
ReplayOrder DrawOrder(const RecordedTask& task, size_t count, uint64_t seed);

struct ReplayedStudy {
  struct Trial {
    size_t curve = 0;
    int64_t steps = 0;  // That were trained.
    bool is_stopped = false;
  };
  std::vector<Trial> trials;            // In the order in which they began.
  std::vector<double> best_reported;    // The best value of any report after so many steps of all.
  std::optional<double> best_finished;  // The best result; empty if all were stopped.

  int64_t steps() const { return static_cast<int64_t>(best_reported.size()); }
};

// Chooses the training that a worker takes next, from the trials so far and their curves, one for
// each; empty if there is none for it, nor for any later.
using NextTraining = std::function<std::optional<ReplayOrder::Training>(
    const ReplayedStudy& study, absl::Span<const LearningCurve> curves)>;

// `workers` is at least 1, and there is at least one training.
ReplayedStudy Replay(const RecordedTask& task, const ReplayOrder& order, const StoppingRule& rule,
                     size_t workers);
ReplayedStudy Replay(const RecordedTask& task, const NextTraining& next, const StoppingRule& rule,
                     size_t workers);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_STOPPING_REPLAY_H_
