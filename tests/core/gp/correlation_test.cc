#include "core/gp/correlation.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/kernel_recipe.h"

namespace slipstream {
namespace {

constexpr Smoothness kAll[] = {Smoothness::kMatern12, Smoothness::kMatern32, Smoothness::kMatern52,
                               Smoothness::kSquaredExponential};

// Squared distances from far below to far above all that occurs.
Eigen::ArrayXd Sweep() {
  Eigen::ArrayXd s(601);
  for (Index i = 0; i < s.size(); ++i) s[i] = std::pow(10, -20 + 0.04 * static_cast<double>(i));
  return s;
}

// dc/ds of each smoothness, differentiated by hand.
long double LongSlope(Smoothness smoothness, long double s) {
  const long double r = std::sqrt(s);
  switch (smoothness) {
    case Smoothness::kMatern12:
      return -std::exp(-r) / (2 * r);
    case Smoothness::kMatern32:
      return -1.5L * std::exp(-std::sqrt(3.0L) * r);
    case Smoothness::kMatern52:
      return -5.0L / 6 * (1 + std::sqrt(5.0L) * r) * std::exp(-std::sqrt(5.0L) * r);
    case Smoothness::kSquaredExponential:
      return -0.5L * std::exp(-s / 2);
  }
  return 0;
}

TEST(Correlation, AgreesWithTheDefinitionAtAnyDistance) {
  for (const Smoothness smoothness : kAll) {
    const Eigen::ArrayXd s = Sweep();
    Eigen::ArrayXd correlation = s;
    Correlate(smoothness, correlation);
    Eigen::ArrayXd again = s;
    Eigen::ArrayXd slope(s.size());
    CorrelateWithSlopes(smoothness, again, slope);
    for (Index i = 0; i < s.size(); ++i) {
      const long double expected =
          LongCorrelation(smoothness, std::sqrt(static_cast<long double>(s[i])));
      // Rounding the exponent changes the exponential by as much, relatively.
      const long double tolerance = expected * 1e-15L * (4 + s[i]) + 1e-300L;
      ASSERT_NEAR(correlation[i], expected, tolerance) << s[i];
      ASSERT_NEAR(again[i], expected, tolerance) << s[i];
      const long double expected_slope = LongSlope(smoothness, s[i]);
      ASSERT_NEAR(slope[i], expected_slope,
                  std::abs(expected_slope) * 1e-15L * (4 + s[i]) + 1e-300L)
          << s[i];
    }
  }
}

TEST(Correlation, IsOneAtDistanceZeroWithAFiniteSlope) {
  for (const Smoothness smoothness : kAll) {
    Eigen::ArrayXd c = Eigen::ArrayXd::Zero(3);
    Eigen::ArrayXd slope(3);
    CorrelateWithSlopes(smoothness, c, slope);
    EXPECT_EQ(c[1], 1);
    const double expected =
        smoothness == Smoothness::kMatern12 ? 0 : static_cast<double>(LongSlope(smoothness, 0));
    EXPECT_NEAR(slope[1], expected, 1e-15);
    c.setZero();
    Correlate(smoothness, c);
    EXPECT_EQ(c[2], 1);
  }
}

TEST(Correlation, IsAsGoodAsZeroWithoutSlopeVeryFarAway) {
  for (const Smoothness smoothness : kAll) {
    for (const double s : {1e10, 1e40, 1e100}) {
      Eigen::ArrayXd c = Eigen::ArrayXd::Constant(2, s);
      Eigen::ArrayXd slope(2);
      CorrelateWithSlopes(smoothness, c, slope);
      EXPECT_LE(c[0], 1e-200) << s;
      EXPECT_LE(std::abs(slope[0]), 1e-200) << s;
    }
  }
}

TEST(Correlation, TakesNothing) {
  Eigen::ArrayXd none(0);
  Eigen::ArrayXd slopes(0);
  for (const Smoothness smoothness : kAll) {
    Correlate(smoothness, none);
    CorrelateWithSlopes(smoothness, none, slopes);
  }
}

}  // namespace
}  // namespace slipstream
