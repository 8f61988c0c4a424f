#include "tests/evidence/workers_problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/evidence/minimum.h"

namespace slipstream::evidence {
namespace {

TEST(WorkersProblems, ASearchReachesTheBestValueOfUnimodalOnesAndFindsNothingBetter) {
  for (const ContinuousProblem& problem : WorkersProblems()) {
    const double found = MinimumOf(problem.task(0, 0), problem.box);
    EXPECT_GE(found, *problem.best - 1e-9) << problem.name;
    if (problem.name == "turned_trid6" || problem.name == "turned_zakharov5") {
      EXPECT_NEAR(found, *problem.best, 0.5) << problem.name;
    }
  }
}

TEST(WorkersProblems, TheBestValuesAreThePublishedOnes) {
  for (const ContinuousProblem& problem : WorkersProblems()) {
    double published = 0;
    if (problem.name == "turned_trid6") published = -50;
    if (problem.name == "turned_styblinski_tang5") published = -39.16616570377142 * 5;
    EXPECT_NEAR(*problem.best, published, 1e-9) << problem.name;
  }
}

TEST(WorkersProblems, EverySeedIsAFunctionOfItsOwn) {
  for (const ContinuousProblem& problem : WorkersProblems()) {
    const std::vector<double> point(problem.box.size(), 1.5);
    EXPECT_EQ(problem.task(3, 0)(point), problem.task(3, 0)(point)) << problem.name;
    EXPECT_GT(std::abs(problem.task(3, 0)(point) - problem.task(4, 0)(point)), 1e-6)
        << problem.name;
  }
}

TEST(WorkersProblems, ATurnedFunctionIsNotSeparable) {
  for (const ContinuousProblem& problem : WorkersProblems()) {
    const Objective value = problem.task(5, 0);
    std::vector<double> point(problem.box.size(), 0.3);
    const double base = value(point);
    point[0] = 1.1;
    const double first = value(point);
    point[1] = -0.8;
    const double both = value(point);
    point[0] = 0.3;
    const double second = value(point);
    EXPECT_GT(std::abs(both - first - second + base), 1e-6) << problem.name;
  }
}

}  // namespace
}  // namespace slipstream::evidence
