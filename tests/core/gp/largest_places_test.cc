#include "core/gp/largest_places.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;

TEST(LargestPlaces, AreAscendingAndTheFirstOfEqualOnes) {
  Vector values(6);
  values << 2, 5, 2, 7, 2, -1;
  EXPECT_THAT(LargestPlaces(values, 3), ElementsAre(0, 1, 3));
  EXPECT_THAT(LargestPlaces(values, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(LargestPlaces(values, 9), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(LargestPlaces(values, 0), ElementsAre());
}

}  // namespace
}  // namespace slipstream
