#include "core/space/double_axis.h"

#include <cfloat>
#include <cmath>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(DoubleAxis, LinearCoordinatesAreShares) {
  const DoubleAxis axis(-2, 6, Scale::kLinear);
  EXPECT_EQ(axis.CoordinateOf(-2), 0);
  EXPECT_EQ(axis.CoordinateOf(0), 0.25);
  EXPECT_EQ(axis.CoordinateOf(6), 1);
  EXPECT_EQ(axis.ValueAt(0.75), 4);
}

TEST(DoubleAxis, LogCoordinatesAreSharesOfDecades) {
  const DoubleAxis axis(1e-4, 1, Scale::kLog);
  EXPECT_NEAR(axis.CoordinateOf(1e-3), 0.25, 1e-14);
  EXPECT_NEAR(axis.CoordinateOf(1e-2), 0.5, 1e-14);
  EXPECT_NEAR(axis.ValueAt(0.75), 0.1, 1e-14);
}

TEST(DoubleAxis, ReverseLogIsTheMirrorImageOfLog) {
  const DoubleAxis axis(0.001, 1, Scale::kReverseLog);
  const DoubleAxis log(0.001, 1, Scale::kLog);
  for (double value : {0.001, 0.3, 0.9, 0.99, 0.999, 1.0}) {
    EXPECT_NEAR(axis.CoordinateOf(value), 1 - log.CoordinateOf(1.001 - value), 1e-12) << value;
  }
  // The last three hundredths get half of the interval.
  EXPECT_NEAR(axis.ValueAt(0.5), 1.001 - std::sqrt(0.001), 1e-12);
}

TEST(DoubleAxis, TheWholeDoubleRangeDoesNotOverflow) {
  const DoubleAxis axis(-DBL_MAX, DBL_MAX, Scale::kLinear);
  EXPECT_EQ(axis.CoordinateOf(-DBL_MAX), 0);
  EXPECT_EQ(axis.CoordinateOf(0), 0.5);
  EXPECT_EQ(axis.CoordinateOf(DBL_MAX), 1);
  EXPECT_EQ(axis.ValueAt(0.25), -DBL_MAX / 2);
}

TEST(DoubleAxis, LogOverAllMagnitudesIsEven) {
  const DoubleAxis axis(5e-324, 1e308, Scale::kLog);
  const double length = std::log(1e308) - std::log(5e-324);
  EXPECT_NEAR(axis.CoordinateOf(1), -std::log(5e-324) / length, 1e-14);
  EXPECT_NEAR(std::log(axis.ValueAt(0.9)), std::log(5e-324) + 0.9 * length, 1e-9);
}

TEST(DoubleAxis, ANarrowLogRangeAtALargeValueStillDistinguishesItsNumbers) {
  const double min = 1e300;
  double max = min;
  for (int i = 0; i < 4; ++i) max = std::nextafter(max, DBL_MAX);
  const DoubleAxis axis(min, max, Scale::kLog);
  double value = min;
  for (int i = 0; i <= 4; ++i, value = std::nextafter(value, DBL_MAX)) {
    EXPECT_NEAR(axis.CoordinateOf(value), i / 4.0, 1e-12);
  }
}

}  // namespace
}  // namespace slipstream
