// Tunings of models on data sets, which papers try their methods on: configurations whose trainings
// were recorded (tests/evidence/tables/record_tuning), on some splits of the data, and for some on
// those of a source task.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_TUNING_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_TUNING_PROBLEMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

struct TuningProblem {
  absl::string_view name;
  absl::string_view summary;
  bool has_source = false;
};

absl::Span<const TuningProblem> TuningProblems();

// A candidate list of the recorded configurations; the seed chooses the split, five initial points
// and the source's 90. Returns the same errors as MakeProblem.
absl::StatusOr<Problem> MakeTuningProblem(const TuningProblem& problem, const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_TUNING_PROBLEMS_H_
