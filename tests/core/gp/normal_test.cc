#include "core/gp/normal.h"

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"

namespace slipstream {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

Wide ExactDistribution(double x) { return erfc(-Wide(x) / sqrt(Wide(2))) / 2; }

Wide ExactDensity(double x) {
  const Wide pi = boost::math::constants::pi<Wide>();
  return exp(-Wide(x) * Wide(x) / 2) / sqrt(2 * pi);
}

double ErrorOf(double actual, const Wide& expected) {
  return static_cast<double>(abs((Wide(actual) - expected) / expected));
}

// Rounding -x^2/2 moves its exponential, relatively, by as much as it was moved.
double ExponentTolerance(double x) { return 1e-15 * (4 + x * x / 2); }

TEST(Normal, TheDensityAndItsLogarithmAreExact) {
  for (double x = -37; x <= 37; x += 0.0625 + 1e-5) {
    ASSERT_LE(ErrorOf(StandardNormalDensity(x), ExactDensity(x)), ExponentTolerance(x)) << x;
    ASSERT_LE(ErrorOf(LogStandardNormalDensity(x), log(ExactDensity(x))), 1e-15) << x;
  }
}

TEST(Normal, TheDistributionIsExactInBothTails) {
  for (double x = -37; x <= 10; x += 0.0625 + 1e-5) {
    ASSERT_LE(ErrorOf(StandardNormalDistribution(x), ExactDistribution(x)),
              ExponentTolerance(x))
        << x;
  }
}

TEST(Normal, TakesAnyNumberToItsLimit) {
  EXPECT_EQ(StandardNormalDensity(1e99), 0);
  EXPECT_EQ(StandardNormalDensity(-1e99), 0);
  EXPECT_EQ(StandardNormalDensity(1e300), 0);
  EXPECT_EQ(StandardNormalDensity(-kInfinity), 0);
  EXPECT_EQ(StandardNormalDistribution(-1e300), 0);
  EXPECT_EQ(StandardNormalDistribution(1e300), 1);
  EXPECT_EQ(StandardNormalDistribution(-kInfinity), 0);
  EXPECT_EQ(StandardNormalDistribution(kInfinity), 1);
  EXPECT_FALSE(std::isnan(LogStandardNormalDensity(-1e300)));
  EXPECT_DOUBLE_EQ(StandardNormalDistribution(0), 0.5);
}

// The error of the quantile q, as the probability it stands for: Phi(q) / p - 1,
// which a relative error e of q moves by q^2 e.
TEST(Normal, QuantilesInvertTheDistribution) {
  for (double p = 1e-300; p < 0.5; p *= 7.3) {
    const double q = StandardNormalQuantile(p);
    ASSERT_LE(ErrorOf(p, ExactDistribution(q)), 1e-15 * (4 + q * q)) << p;
    const double upper = 1 - p;
    if (upper == 1) continue;
    const double mirrored = StandardNormalQuantile(upper);
    ASSERT_LE(ErrorOf(1 - upper, ExactDistribution(-mirrored)),
              1e-15 * (4 + mirrored * mirrored))
        << p;
  }
  for (double p = 0.01; p < 1; p += 0.01) {
    ASSERT_NEAR(StandardNormalDistribution(StandardNormalQuantile(p)), p, 1e-15) << p;
  }
  EXPECT_EQ(StandardNormalQuantile(0.5), 0);
}

TEST(Normal, QuantilesAreFiniteWithinTheOpenInterval) {
  EXPECT_TRUE(std::isfinite(StandardNormalQuantile(std::numeric_limits<double>::denorm_min())));
  EXPECT_TRUE(std::isfinite(StandardNormalQuantile(std::numeric_limits<double>::min())));
  EXPECT_TRUE(std::isfinite(StandardNormalQuantile(std::nextafter(1.0, 0.0))));
  // The greatest uniform number, moved off zero by half a step as draws are.
  const double rounded_up = (1 - 0x1p-53) + 0x1p-54;
  EXPECT_EQ(StandardNormalQuantile(rounded_up), StandardNormalQuantile(1 - 0x1p-53));
}

TEST(Normal, TheScaledErrorFunctionIsExactOnBothSidesOfItsSeam) {
  const auto exact = [](double x) { return Wide(exp(Wide(x) * Wide(x)) * erfc(Wide(x))); };
  for (double x = 0; x <= 30; x += 0.01 + 1e-6) {
    ASSERT_LE(ErrorOf(ScaledComplementaryError(x), exact(x)),
              1e-15 * (4 + (x < 5 ? x * x : 0)))
        << x;
  }
  for (const double x : {std::nextafter(5.0, 0.0), 5.0, std::nextafter(5.0, 6.0)}) {
    EXPECT_LE(ErrorOf(ScaledComplementaryError(x), exact(x)), 3e-14) << x;
  }
  for (double x = 30; x < 1e4; x *= 1.3) {
    ASSERT_LE(ErrorOf(ScaledComplementaryError(x), exact(x)), 3e-15) << x;
  }
  for (double x = 1e9; x < 1e300; x *= 1e9) {
    ASSERT_NEAR(ScaledComplementaryError(x) * x * std::sqrt(M_PI), 1, 1e-14) << x;
  }
  EXPECT_EQ(ScaledComplementaryError(0), 1);
  EXPECT_GE(ScaledComplementaryError(std::numeric_limits<double>::max()), 0);
}

}  // namespace
}  // namespace slipstream
