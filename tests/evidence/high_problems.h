// Functions of 20, 50 and 100 coordinates, of which few or all matter.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_HIGH_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_HIGH_PROBLEMS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tests/evidence/continuous_problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's. Methods are changed by what they do on the first ones; the others
// are only reported.
inline constexpr absl::string_view kHighDevelopment = "high_development";
inline constexpr absl::string_view kHigh = "high";

std::vector<ContinuousProblem> HighProblems();

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_HIGH_PROBLEMS_H_
