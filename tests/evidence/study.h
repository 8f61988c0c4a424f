// Runs one study of one strategy on one problem as the server would.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_STUDY_H_
#define SLIPSTREAM_TESTS_EVIDENCE_STUDY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/strategy/strategy.h"
#include "tests/evidence/problem.h"

namespace slipstream::evidence {

struct StudyOptions {
  uint64_t seed = 0;
  int suggestions = 50;
  // So many evenly filling points are measured before the first suggestion.
  int filled = 0;
  // So many of the sources' best configurations are tried first (queued_points.h), and the
  // strategy, which then goes on, is not told of any sources. 0: it is, and nothing is queued.
  size_t queued = 0;
  // Number of workers: a suggestion is made while all others have a pending trial.
  size_t workers = 1;
  // Number of workers that ask together, in one call: at most all of them.
  size_t batch = 1;
  // The time for one suggestion, after which strategies step down their ladder, as in
  // the server.
  absl::Duration budget = absl::Seconds(5);
};

// The study's own seed. Studies with the same number on two problems are as unrelated
// as two studies of a server.
uint64_t StudySeed(absl::string_view problem, uint64_t number);

// What is added to the value of a study's trial with this number, which counts from 1.
double NoiseOf(const Problem& problem, uint64_t study_seed, uint64_t trial);
// Whether that trial's worker fails, wherever the trial is.
bool FailsByChance(const Problem& problem, uint64_t study_seed, uint64_t trial);

// One finished trial.
struct Evaluation {
  int suggestion = 0;  // From 1; 0 for an initial point.
  Point point;
  double value = 0;       // The value that the study saw.
  double regret = 0;      // The regret of the best point so far, without noise.
  double own_regret = 0;  // The regret of this point, without noise; NaN if it has no value.
  double seconds = 0;     // The time in Strategy::Suggest.
  Provenance provenance;
};

// The finished trials in the order in which they finished. INTERNAL if the strategy
// suggests something illegal in the space or a candidate twice; otherwise the errors
// of Strategy::Suggest.
absl::StatusOr<std::vector<Evaluation>> RunStudy(const Strategy& strategy, const Problem& problem,
                                                 const StudyOptions& options);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_STUDY_H_
