#include "tests/evidence/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace slipstream::evidence {
namespace {

TEST(Functions, BraninHasItsThreeMinimaAndItsMaximum) {
  for (const std::vector<double>& x : std::vector<std::vector<double>>{
           {-std::numbers::pi, 12.275}, {std::numbers::pi, 2.275}, {9.42478, 2.475}}) {
    EXPECT_NEAR(Branin({}, x), 0.397887, 1e-6);
  }
  EXPECT_NEAR(Branin({}, {-5, 0}), 308.129, 1e-3);
}

TEST(Functions, HartmannsHaveTheirMinima) {
  EXPECT_NEAR(Hartmann3(kHartmannWeights, {0.114614, 0.555649, 0.852547}), -3.86278, 1e-5);
  EXPECT_NEAR(
      Hartmann6(kHartmannWeights, {0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}),
      -3.32237, 1e-5);
}

TEST(Functions, DeceptiveIsMinusOneAtItsPeakAndLowInTheCorners) {
  EXPECT_DOUBLE_EQ(Deceptive({1.0 / 3, 2.0 / 3}), -1);
  EXPECT_DOUBLE_EQ(Deceptive({0.2, 0.4, 0.6, 0.8}), -1);
  EXPECT_NEAR(Deceptive({0, 0}), -0.64, 1e-12);
  EXPECT_NEAR(Deceptive({1, 1, 1, 1}), -0.64, 1e-12);
}

TEST(Functions, DeceptiveIsContinuous) {
  for (const double edge : {4.0 / 15, 1.0 / 3, 7.0 / 15}) {
    EXPECT_NEAR(Deceptive({edge - 1e-9, 0.5}), Deceptive({edge + 1e-9, 0.5}), 1e-7);
  }
}

TEST(Functions, H1IsTwoAtItsPeak) { EXPECT_NEAR(H1({8.6998, 6.7665}), 2, 1e-8); }

TEST(Functions, TheSlopeWithABumpIsStraightElsewhere) {
  const auto at = [](double x) { return SlopeWithBump({x}); };
  const double rise = at(0.9) - at(0.8);
  EXPECT_GT(rise, 0.05);
  EXPECT_NEAR(at(1) - at(0.9), rise, 0.02 * rise);
  EXPECT_NEAR(at(0.75) - at(0.65), rise, 0.05 * rise);
  EXPECT_GT(at(0.28), at(1) + 2 * rise);
  EXPECT_GT(at(0.28), at(0.2));
  EXPECT_GT(at(0.28), at(0.4));
}

TEST(Functions, TheOthersHaveTheirPublishedMinima) {
  EXPECT_NEAR(Ackley({0, 0, 0, 0, 0}), 0, 1e-12);
  EXPECT_NEAR(Levy({1, 1, 1, 1}), 0, 1e-12);
  EXPECT_EQ(Rosenbrock({1, 1, 1, 1}), 0);
  EXPECT_NEAR(Forrester(1, 0, 0, {0.757249}), -6.02074, 1e-5);
  EXPECT_NEAR(Alpine(0, {-7.99089}), -8.71521, 1e-4);
  EXPECT_DOUBLE_EQ(Quadratic(1.5, 0.3, -0.7, {-0.3}), -0.7);
  EXPECT_NEAR(BohachevskyProduct({0, 0}), 0, 1e-12);
  EXPECT_NEAR(BohachevskySum({0, 0}), 0, 1e-12);
}

TEST(Functions, TheOthersHaveKnownValuesElsewhere) {
  EXPECT_NEAR(Ackley({1, 1}), 3.6253849384403627, 1e-12);
  EXPECT_EQ(Rosenbrock({0, 0, 0}), 2);
  EXPECT_NEAR(Levy({0, 0}), 0.7158445541169746, 1e-12);
  EXPECT_NEAR(BohachevskyProduct({2, 2}), 12, 1e-12);
  EXPECT_NEAR(BohachevskySum({2, 2}), 12, 1e-12);
  EXPECT_NEAR(GaussianBump(0.5, {1.5, 0.5}), std::exp(-0.5), 1e-12);
  EXPECT_NEAR(NormalDensity(1.5, {1.5, 1.5}), 0.15915494309189535, 1e-15);
  EXPECT_NEAR(NormalDensity(0, {1.5, 1.5}), 0.15915494309189535 * std::exp(-2.25), 1e-15);
}

}  // namespace
}  // namespace slipstream::evidence
