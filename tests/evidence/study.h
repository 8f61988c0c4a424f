// One study of one strategy on one problem, as the server would run it.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_STUDY_H_
#define SLIPSTREAM_TESTS_EVIDENCE_STUDY_H_

#include <cstddef>
#include <cstdint>
#include <string>
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
  // A suggestion is made while so many trials less one are out with workers.
  size_t workers = 1;
  // As the server's: strategies step down their ladder when it is used up.
  absl::Duration budget = absl::Seconds(5);
};

// A seed for the study itself: studies of the same number on two problems are as
// unrelated as two studies of a server.
uint64_t StudySeed(absl::string_view problem, uint64_t number);

// One trial that has ended, in the order in which trials ended.
struct Evaluation {
  int suggestion = 0;  // From 1; 0 for an initial point.
  Point point;
  double value = 0;    // As the study saw it.
  double regret = 0;   // Of the best point so far, without noise.
  double seconds = 0;  // In Strategy::Suggest.
  Provenance provenance;
};

// INTERNAL when the strategy suggests what the space does not allow, or a
// candidate twice; otherwise errors as Strategy::Suggest.
absl::StatusOr<std::vector<Evaluation>> RunStudy(const Strategy& strategy, const Problem& problem,
                                                 const StudyOptions& options);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_STUDY_H_
