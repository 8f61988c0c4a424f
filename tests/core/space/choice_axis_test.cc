#include "core/space/choice_axis.h"

#include <cfloat>
#include <cmath>
#include <set>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(ChoiceAxis, EveryChoiceIsDecodedFromItsMiddle) {
  for (size_t count = 1; count <= 1000; ++count) {
    const ChoiceAxis axis(count);
    for (size_t choice = 0; choice < count; ++choice) {
      ASSERT_EQ(axis.ChoiceAt(axis.CoordinateOf(choice)), choice) << count;
    }
    ASSERT_EQ(axis.ChoiceAt(0), 0u);
    ASSERT_EQ(axis.ChoiceAt(1), count - 1);
  }
}

TEST(DiscreteAxis, ValuesLieWhereTheyAreOnTheScale) {
  const DiscreteAxis linear({{0, 1, 4}, Scale::kLinear});
  EXPECT_EQ(linear.CoordinateOf(1), 0.25);
  const DiscreteAxis log({{1, 10, 10000}, Scale::kLog});
  EXPECT_NEAR(log.CoordinateOf(10), 0.25, 1e-14);
}

TEST(DiscreteAxis, CoordinatesDecodeToTheNearestValue) {
  const DiscreteAxis axis({{0, 1, 4}, Scale::kLinear});
  EXPECT_EQ(axis.ValueAt(0.124), 0);
  EXPECT_EQ(axis.ValueAt(0.126), 1);
  EXPECT_EQ(axis.ValueAt(0.624), 1);
  EXPECT_EQ(axis.ValueAt(0.626), 4);
}

TEST(DiscreteAxis, ASingleValueLiesInTheMiddle) {
  const DiscreteAxis axis({{42}, Scale::kLog});
  EXPECT_EQ(axis.CoordinateOf(42), 0.5);
  EXPECT_EQ(axis.ValueAt(0), 42);
  EXPECT_EQ(axis.ValueAt(1), 42);
}

TEST(DiscreteAxis, ValuesThatRoundToOneCoordinateAreStillDecoded) {
  for (const std::vector<double>& values :
       {std::vector<double>{-1e300, -2, -1, 0, 1, 2, 1e300},
        std::vector<double>{-DBL_MAX, DBL_MAX / 2, std::nextafter(DBL_MAX, 0), DBL_MAX},
        std::vector<double>{0, 1 - DBL_EPSILON, 1 - DBL_EPSILON / 2, 1}}) {
    const DiscreteAxis axis({values, Scale::kLinear});
    std::set<double> coordinates;
    for (double value : values) {
      coordinates.insert(axis.CoordinateOf(value));
      EXPECT_EQ(axis.ValueAt(axis.CoordinateOf(value)), value);
    }
    EXPECT_EQ(coordinates.size(), values.size());
    EXPECT_EQ(*coordinates.begin(), 0);
    EXPECT_EQ(*coordinates.rbegin(), 1);
  }
}

TEST(DiscreteAxis, AThousandCrowdedValuesStayWithinTheUnitInterval) {
  std::vector<double> values = {-DBL_MAX};
  double value = std::nextafter(DBL_MAX, 0);
  for (int i = 0; i < 999; ++i, value = std::nextafter(value, 0)) {
    values.insert(values.begin() + 1, value);
  }
  const DiscreteAxis axis({values, Scale::kLinear});
  for (double each : values) {
    ASSERT_GE(axis.CoordinateOf(each), 0);
    ASSERT_LE(axis.CoordinateOf(each), 1);
    ASSERT_EQ(axis.ValueAt(axis.CoordinateOf(each)), each);
  }
}

}  // namespace
}  // namespace slipstream
