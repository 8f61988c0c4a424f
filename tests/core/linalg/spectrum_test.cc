#include "core/linalg/spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipstream {
namespace {

// Smooth, hence with eigenvalues of many orders of magnitude.
Matrix SmoothCovariance(Index size) {
  Matrix covariance(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      const double apart = static_cast<double>(i - j) / static_cast<double>(size);
      covariance(i, j) = std::exp(-8 * apart * apart);
    }
  }
  return covariance;
}

TEST(Spectrum, IsThatOfTheMatrix) {
  for (const Index size : {1, 2, 3, 7, 50, 97, 100}) {
    const Matrix covariance = SmoothCovariance(size);
    const Spectrum spectrum = SpectrumOf(covariance).value();
    const Matrix& vectors = spectrum.vectors;
    EXPECT_TRUE((vectors * spectrum.values.asDiagonal() * vectors.transpose())
                    .isApprox(covariance, 1e-13));
    EXPECT_TRUE((vectors.transpose() * vectors).isIdentity(1e-12));
    EXPECT_TRUE(std::is_sorted(spectrum.values.begin(), spectrum.values.end()));
    EXPECT_EQ(EigenvaluesOf(covariance), spectrum.values);
  }
}

TEST(Spectrum, IsOfTheLowerTriangle) {
  Matrix covariance = SmoothCovariance(20);
  const Matrix vectors = SpectrumOf(covariance).value().vectors;
  covariance.triangularView<Eigen::StrictlyUpper>().setConstant(7);
  EXPECT_EQ(SpectrumOf(covariance).value().vectors, vectors);
}

TEST(Spectrum, IsNotFoundWhereAnEntryIsNotFinite) {
  Matrix covariance = SmoothCovariance(5);
  covariance(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(SpectrumOf(covariance).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace slipstream
