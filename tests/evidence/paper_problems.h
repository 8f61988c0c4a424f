// The problems of papers' own experiments, as far as the papers say what they are.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_PAPER_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_PAPER_PROBLEMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/evidence/continuous_problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's.
inline constexpr absl::string_view kPapers = "papers";

std::vector<ContinuousProblem> PaperProblems();

// A function of the Gaussian kernel's space: a draw of its process on a grid of the unit cube with
// so many points on each side, interpolated by that kernel and scaled to a norm.
struct SpaceSample {
  size_t dimension = 1;
  size_t points = 12;
  double lengthscale = 0.1;
  double norm = 4;
};

// Its centres and coefficients: the function is their sum of kernels.
struct KernelSum {
  double lengthscale = 1;
  std::vector<std::vector<double>> centres;
  std::vector<double> coefficients;

  double At(RawPoint x) const;
  // In the kernel's space.
  double Norm() const;
};

KernelSum DrawFromSpace(const SpaceSample& sample, uint64_t seed);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_PAPER_PROBLEMS_H_
