#include "core/space/encoded_points.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"

namespace slipstream {
namespace {

TEST(EncodeAll, IsTheCoordinatesOfEachConfigurationInItsRow) {
  RandomStream random(6);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const SearchSpace space = RandomSpace(random, 6);
    std::vector<Configuration> configurations;
    for (int i = 0; i < 7; ++i) configurations.push_back(RandomConfiguration(random, space));
    const PointMatrix points = EncodeAll(space, configurations);
    ASSERT_EQ(points.rows(), 7);
    ASSERT_EQ(points.cols(), static_cast<Index>(space.dimension()));
    for (size_t i = 0; i < configurations.size(); ++i) {
      const std::vector<double> expected = CoordinatesOf(space, configurations[i]);
      for (size_t j = 0; j < space.dimension(); ++j) {
        EXPECT_EQ(points(static_cast<Index>(i), static_cast<Index>(j)), expected[j]);
      }
    }
    EXPECT_EQ(EncodeAll(space, {}).rows(), 0);
    EXPECT_EQ(EncodeAll(space, {}).cols(), static_cast<Index>(space.dimension()));
  }
}

}  // namespace
}  // namespace slipstream
