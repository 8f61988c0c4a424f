// Objectives that break what optimisers take for granted: noise that hides everything, steps,
// needles, halves without a value, values over thirty decades, results that drift.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_ODD_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_ODD_PROBLEMS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's. Methods are changed by what they do on the first ones; the others,
// of another function and dimension, are only reported.
inline constexpr absl::string_view kOddDevelopment = "odd_development";
inline constexpr absl::string_view kOdd = "odd";

struct OddProblem {
  std::string name;
  absl::string_view group;
  std::string summary;
};

const std::vector<OddProblem>& OddProblems();

// `problem` is one of them. NOT_FOUND if it is to begin with source tasks.
absl::StatusOr<Problem> MakeOddProblem(const OddProblem& problem, const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_ODD_PROBLEMS_H_
