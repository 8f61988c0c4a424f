#include "tests/evidence/mixed_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/space/configurations.h"
#include "tests/evidence/mixed_parameters.h"

namespace slipstream::evidence {
namespace {

using ::testing::ElementsAre;

SearchSpace KernelSpace() {
  return *SearchSpace::Create({Words("kernel", {"radial", "polynomial"}),
                               When(Real("gamma", 1e-2, 1e2, Scale::kLog), "kernel", {"radial"}),
                               When(Whole("degree", 1, 4), "kernel", {"polynomial"}),
                               Levels("size", {0, 1, 4}), Switch("scaled")});
}

TEST(Draws, AreThoseOfTheSeed) {
  Draws first(3);
  Draws again(3);
  Draws other(4);
  const double number = first.Between(2, 5);
  EXPECT_EQ(again.Between(2, 5), number);
  EXPECT_NE(other.Between(2, 5), number);
  EXPECT_TRUE(number >= 2 && number < 5) << number;
}

TEST(Draws, OrdersHaveEveryNumberOnce) {
  Draws draws(1);
  std::vector<size_t> order = draws.Order(20);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(order[i], i);
}

TEST(Draws, ThoseThatResembleOthersAreMostlyBesideThem) {
  Draws draws(7);
  Draws resembling = draws.Resembling(1);
  Draws others = draws.Resembling(2);
  int beside = 0;
  int equal = 0;
  for (int i = 0; i < 1000; ++i) {
    const double number = draws.Between(0, 1);
    const double near = resembling.Between(0, 1);
    ASSERT_GE(near, 0);
    ASSERT_LT(near, 1);
    if (std::abs(near - number) < 0.12) ++beside;
    if (near == others.Between(0, 1)) ++equal;
  }
  EXPECT_GT(beside, 700);
  EXPECT_LT(beside, 900);
  EXPECT_EQ(equal, 0);
}

TEST(Setting, ReadsValuesByName) {
  const SearchSpace space = KernelSpace();
  const Configuration configuration =
      *space.Resolve({{{"kernel", "radial"}, {"gamma", 10.0}, {"size", 1.0}, {"scaled", true}}});
  const Setting setting(space, configuration);
  EXPECT_NEAR(setting.At("gamma"), 0.75, 1e-12);
  EXPECT_NEAR(setting.At("size"), 0.25, 1e-12);
  EXPECT_TRUE(setting.Is("kernel", "radial"));
  EXPECT_FALSE(setting.Is("kernel", "polynomial"));
  EXPECT_EQ(setting.Choice("kernel"), 0);
  EXPECT_TRUE(setting.On("scaled"));
}

TEST(Ideal, IsLegalInTheSpaceAndAtNoDistanceFromItself) {
  const SearchSpace space = KernelSpace();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Draws draws(seed);
    const Ideal ideal(space, draws);
    const Configuration configuration = ideal.In(space);
    ASSERT_TRUE(IsLegal(space, configuration));
    const bool radial = ideal.Choice("kernel") == 0;
    EXPECT_EQ(
        ideal.DistanceOf(Setting(space, configuration), {radial ? "gamma" : "degree", "size"}), 0);
  }
}

TEST(Ideal, DistancesAreSharesOfTheLongest) {
  const SearchSpace space = KernelSpace();
  Draws draws(0);
  Ideal ideal(space, draws);
  ideal.Set("kernel", std::string("radial"));
  ideal.SetAt("gamma", 0.25);
  ideal.SetAt("size", 0.9);  // 4 is nearest.
  EXPECT_NEAR(ideal.At("gamma"), 0.25, 1e-12);
  EXPECT_EQ(ideal.At("size"), 1);
  const Configuration far =
      *space.Resolve({{{"kernel", "radial"}, {"gamma", 1e2}, {"size", 1.0}, {"scaled", true}}});
  const Setting setting(space, far);
  EXPECT_NEAR(ideal.DistanceOf(setting, {"gamma"}), 1, 1e-12);
  EXPECT_NEAR(ideal.DistanceOf(setting, {"size"}), 0.75, 1e-12);
  EXPECT_NEAR(ideal.DistanceOf(setting, {"gamma", "size"}), std::sqrt((1 + 0.5625) / 2), 1e-12);
}

}  // namespace
}  // namespace slipstream::evidence
