// Tuning problems of real models on real data, every configuration of which was
// evaluated once. Unlike the recorded tables, they are ordinary spaces of choices and
// ordinals with conditions, without a list of candidates.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_GRID_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_GRID_PROBLEMS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/space/parameter.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

struct GridProblem {
  absl::string_view name;  // Also that of its file in tests/evidence/tables.
  absl::string_view summary;
  absl::string_view group;
  absl::string_view branch;  // The parameter whose choices are branches.
  std::vector<Parameter> (*parameters)() = nullptr;
};

absl::Span<const GridProblem> GridProblems();

// Regret is in units of what the mean configuration lacks. Returns the same errors as
// MakeProblem.
absl::StatusOr<Problem> MakeGridProblem(const GridProblem& problem, const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_GRID_PROBLEMS_H_
