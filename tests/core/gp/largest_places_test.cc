#include "core/gp/largest_places.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"

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

TEST(LargestPlaces, AreThoseOfASortedListOfManyValues) {
  const Vector different = RandomVector(3000, -1, 1, 7);
  const Vector equal = (20 * different).array().floor();
  const Vector ascending = Vector::LinSpaced(3000, 0, 1);
  for (const Vector& values : {different, equal, ascending, Vector(ascending.reverse())}) {
    for (const Index count : {1, 8, 192, 374, 375, 376, 2999, 3000}) {
      std::vector<Index> sorted(static_cast<size_t>(values.size()));
      std::iota(sorted.begin(), sorted.end(), Index{0});
      std::stable_sort(sorted.begin(), sorted.end(),
                       [&](Index a, Index b) { return values[a] > values[b]; });
      sorted.resize(static_cast<size_t>(count));
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(LargestPlaces(values, count), sorted) << count;
    }
  }
}

}  // namespace
}  // namespace slipstream
