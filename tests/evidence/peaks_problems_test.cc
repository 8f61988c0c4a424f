#include "tests/evidence/peaks_problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/counter_random.h"

namespace slipstream::evidence {
namespace {

std::vector<double> PointAt(const ContinuousProblem& problem, uint64_t index) {
  std::vector<double> point;
  for (size_t i = 0; i < problem.box.size(); ++i) {
    point.push_back(CounterRandomUniform(7, index, i));
  }
  return point;
}

TEST(PeaksProblems, TheBestValueIsNearlyReachedAndNeverSurpassed) {
  for (const ContinuousProblem& problem : PeaksProblems()) {
    const Objective value = problem.task(3, 0);
    std::vector<double> best = PointAt(problem, 0);
    for (uint64_t i = 0; i < 20000; ++i) {
      const std::vector<double> point = PointAt(problem, i);
      EXPECT_LE(value(point), *problem.best) << problem.name;
      if (value(point) > value(best)) best = point;
    }
    // From the best of many random points uphill.
    for (uint64_t i = 0; i < 20000; ++i) {
      std::vector<double> beside = best;
      for (size_t c = 0; c < beside.size(); ++c) {
        beside[c] += 0.02 * (CounterRandomUniform(8, i, c) - 0.5);
      }
      if (value(beside) > value(best)) best = beside;
    }
    EXPECT_NEAR(value(best), *problem.best, 1e-2) << problem.name;
  }
}

TEST(PeaksProblems, MostOfABoxIsFarBelowTheHighestBump) {
  for (const ContinuousProblem& problem : PeaksProblems()) {
    int above_all_lower_bumps = 0;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Objective value = problem.task(seed, 0);
      for (uint64_t i = 0; i < 1000; ++i) {
        above_all_lower_bumps += value(PointAt(problem, i)) > 0.86 ? 1 : 0;
      }
    }
    EXPECT_LT(above_all_lower_bumps, 100) << problem.name;
  }
}

TEST(PeaksProblems, EverySeedIsAFunctionOfItsOwn) {
  for (const ContinuousProblem& problem : PeaksProblems()) {
    const std::vector<double> point = PointAt(problem, 1);
    EXPECT_EQ(problem.task(3, 0)(point), problem.task(3, 0)(point)) << problem.name;
    EXPECT_NE(problem.task(3, 0)(point), problem.task(4, 0)(point)) << problem.name;
  }
}

}  // namespace
}  // namespace slipstream::evidence
