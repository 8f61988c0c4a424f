#include "tests/evidence/moved_functions.h"

#include <gtest/gtest.h>

#include <vector>

namespace slipstream::evidence {
namespace {

constexpr MovedShape kStraightGriewank = {Griewank, Origin, 3, 2, /*is_turned=*/false};
constexpr MovedShape kTurnedEllipsoid = {Ellipsoid, Origin, 4, 0.5};
constexpr MovedShape kHiddenTrid = {Trid, TridOptimum, 2, 1, /*is_turned=*/true, 30};

TEST(MovedFunctions, HandComputedValues) {
  EXPECT_NEAR(Ellipsoid({1.0, 2.0, -1.0}), 1 + 2 * 4 + 3, 1e-12);
  EXPECT_NEAR(Powell({1.0, 0.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0}),
              (1 + 5 + 256 + 160) + (100 + 0 + 1 + 0), 1e-12);
  EXPECT_NEAR(Rastrigin({0.5}), 0.25 + 20, 1e-12);
}

TEST(MovedFunctions, AShapeHasItsBestValueAtOnePointOfTheInnerBox) {
  const Objective value = Moved(kStraightGriewank, 7);
  // Along a coordinate a straight function does not see the others' places: the least value on each
  // axis is found by itself.
  std::vector<double> x(3, 0);
  for (size_t i = 0; i < x.size(); ++i) {
    double best = x[i];
    double lowest = value(x);
    for (double place = -3; place <= 3; place += 1e-3) {
      x[i] = place;
      if (value(x) < lowest) lowest = value(x), best = place;
    }
    x[i] = best;
  }
  EXPECT_NEAR(value(x), 0, 1e-4);
}

TEST(MovedFunctions, TurningKeepsDistances) {
  // The ellipsoid's mean over a sphere is that of its eigenvalues, however it is turned.
  const Objective value = Moved(kTurnedEllipsoid, 11);
  double trace = 0;
  const std::vector<double> middle(4, 0);
  for (size_t i = 0; i < 4; ++i) {
    std::vector<double> up = middle;
    std::vector<double> down = middle;
    up[i] += 1, down[i] -= 1;
    trace += (value(up) + value(down) - 2 * value(middle)) / 2;
  }
  EXPECT_NEAR(trace, 0.25 * (1 + 2 + 3 + 4), 1e-9);
}

TEST(MovedFunctions, ExactlyTheRelevantCoordinatesHaveAnEffect) {
  for (uint64_t seed : {1, 2, 3}) {
    const Objective value = Moved(kHiddenTrid, seed);
    const std::vector<double> middle(30, 0.25);
    int relevant = 0;
    for (size_t i = 0; i < middle.size(); ++i) {
      std::vector<double> x = middle;
      x[i] = 2;
      relevant += value(x) != value(middle) ? 1 : 0;
    }
    EXPECT_EQ(relevant, 2) << seed;
  }
}

}  // namespace
}  // namespace slipstream::evidence
