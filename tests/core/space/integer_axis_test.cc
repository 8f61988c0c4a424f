#include "core/space/integer_axis.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

constexpr int64_t kMaxSpan = int64_t{1} << 53;

TEST(IntegerAxis, LinearCellsAreEqualAndValuesLieInTheirMiddle) {
  const IntegerAxis axis(-2, 1, Scale::kLinear);
  for (int64_t value = -2; value <= 1; ++value) {
    const double left = static_cast<double>(value + 2) / 4;
    EXPECT_EQ(axis.CoordinateOf(value), left + 0.125);
    EXPECT_EQ(axis.ValueAt(left), value);
    EXPECT_EQ(axis.ValueAt(std::nextafter(left + 0.25, 0)), value);
  }
}

TEST(IntegerAxis, LogCellsHaveTheLengthOfTheirLogarithms) {
  const IntegerAxis axis(1, 8, Scale::kLog);
  const double length = std::log(8.5 / 0.5);
  for (int64_t value = 1; value <= 8; ++value) {
    const double left = std::log((static_cast<double>(value) - 0.5) / 0.5) / length;
    const double right = std::log((static_cast<double>(value) + 0.5) / 0.5) / length;
    EXPECT_NEAR(axis.CoordinateOf(value), std::log(static_cast<double>(value) / 0.5) / length,
                1e-14);
    EXPECT_EQ(axis.ValueAt(left + 1e-9), value);
    EXPECT_EQ(axis.ValueAt(right - 1e-9), value);
  }
}

TEST(IntegerAxis, ReverseLogIsTheMirrorImageOfLog) {
  const IntegerAxis log(3, 40, Scale::kLog);
  const IntegerAxis reversed(3, 40, Scale::kReverseLog);
  for (int64_t value = 3; value <= 40; ++value) {
    EXPECT_EQ(reversed.CoordinateOf(value), 1 - log.CoordinateOf(43 - value));
  }
  for (double coordinate = 0.001; coordinate < 1; coordinate += 0.01) {
    EXPECT_EQ(reversed.ValueAt(coordinate), 43 - log.ValueAt(1 - coordinate));
  }
}

TEST(IntegerAxis, TheCoordinateAloneDecodesExactlyOnOrdinaryRanges) {
  for (Scale scale : {Scale::kLinear, Scale::kLog, Scale::kReverseLog}) {
    const IntegerAxis axis(1, 100000, scale);
    for (int64_t value = 1; value <= 100000; ++value) {
      ASSERT_EQ(axis.ValueAt(axis.CoordinateOf(value)), value);
    }
  }
}

TEST(IntegerAxis, ASingleValueLiesInTheMiddle) {
  for (Scale scale : {Scale::kLinear, Scale::kLog, Scale::kReverseLog}) {
    const IntegerAxis axis(7, 7, scale);
    EXPECT_EQ(axis.CoordinateOf(7), 0.5);
    EXPECT_EQ(axis.ValueAt(0), 7);
    EXPECT_EQ(axis.ValueAt(1), 7);
  }
}

TEST(IntegerAxis, TheWidestRangesAreDecodedAtEitherEndOfSixtyFourBits) {
  for (int64_t min : {kMin64, int64_t{-1}, int64_t{1}, kMax64 - kMaxSpan}) {
    for (Scale scale : {Scale::kLinear, Scale::kLog, Scale::kReverseLog}) {
      if (scale != Scale::kLinear && min < 1) continue;
      const IntegerAxis axis(min, min + kMaxSpan, scale);
      EXPECT_EQ(axis.ValueAt(0), min);
      EXPECT_EQ(axis.ValueAt(1), min + kMaxSpan);
      for (int64_t offset : {int64_t{0}, int64_t{1}, int64_t{2}, kMaxSpan / 2 + 1, kMaxSpan - 2,
                             kMaxSpan - 1, kMaxSpan}) {
        const double coordinate = axis.CoordinateOf(min + offset);
        EXPECT_NEAR(axis.CoordinateOf(axis.ValueAt(coordinate)), coordinate, 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace slipstream
