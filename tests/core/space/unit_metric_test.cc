#include "core/space/unit_metric.h"

#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(UnitMetric, IsEuclidsOverNumbersAndOneForEachDifferentWord) {
  const UnitMetric metric(*MixedSpace());  // rate, size, kernel, warm, degree
  ASSERT_EQ(metric.dimension(), 5u);
  const double a[] = {0.1, 0.5, 0.25, 0.25, 0.9};
  const double b[] = {0.4, 0.9, 0.26, 0.75, 0.9};
  EXPECT_NEAR(metric.SquaredDistance(a, b), 0.09 + 0.16 + 1 + 1, 1e-12);
  EXPECT_EQ(metric.SquaredDistance(a, b), metric.SquaredDistance(b, a));
  EXPECT_EQ(metric.SquaredDistance(a, a), 0);
}

}  // namespace
}  // namespace slipstream
