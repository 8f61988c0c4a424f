// Functions with a few bumps of Gaussian shape at places that depend on the seed. A study that
// finds a lower one first can refine it without an end.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_PEAKS_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_PEAKS_PROBLEMS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tests/evidence/continuous_problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's.
inline constexpr absl::string_view kPeaks = "peaks";
inline constexpr absl::string_view kPeaksDevelopment = "peaks_development";

std::vector<ContinuousProblem> PeaksProblems();

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_PEAKS_PROBLEMS_H_
