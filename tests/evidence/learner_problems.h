// Learners tuned on ten or twelve data sets each, whose cross-validated losses were recorded
// (tests/evidence/tables/record_learners): one data set is the target, and the others are source
// tasks of 40 results each.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_LEARNER_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_LEARNER_PROBLEMS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/space/parameter.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

struct LearnerTable {
  absl::string_view name;
  absl::string_view group;  // For development, or for report alone.
  absl::string_view summary;
  absl::Span<const absl::string_view> data_sets;
  std::vector<Parameter> (*parameters)() = nullptr;
};

absl::Span<const LearnerTable> LearnerTables();

// A candidate list of the recorded configurations. The seed chooses five initial points, and 40
// rows of each source. Regret is divided by the distance of the best from the median loss, as the
// worst trainings diverge. INVALID_ARGUMENT if there is no such data set; else the same errors as
// MakeProblem.
absl::StatusOr<Problem> MakeLearnerProblem(const LearnerTable& table, absl::string_view data_set,
                                           const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_LEARNER_PROBLEMS_H_
