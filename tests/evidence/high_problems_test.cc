#include "tests/evidence/high_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

TEST(HighProblems, BothGroupsHaveFewAndManyCoordinatesThatMatter) {
  for (const absl::string_view group : {kHighDevelopment, kHigh}) {
    std::set<bool> hides;
    for (const ContinuousProblem& problem : HighProblems()) {
      if (problem.group != group) continue;
      EXPECT_GE(problem.box.size(), 20u) << problem.name;
      hides.insert(problem.name.find("of_") != absl::string_view::npos);
    }
    EXPECT_EQ(hides.size(), 2u) << group;
  }
}

TEST(HighProblems, NoRandomPointIsBetterThanTheBestValue) {
  for (const ContinuousProblem& problem : HighProblems()) {
    const Objective value = problem.task(4, 0);
    double lowest = std::numeric_limits<double>::infinity();
    for (uint64_t i = 0; i < 2000; ++i) {
      std::vector<double> x;
      for (size_t j = 0; j < problem.box.size(); ++j) x.push_back(2 * StandardNormal(i, j));
      lowest = std::min(lowest, value(x));
    }
    EXPECT_GT(lowest, *problem.best) << problem.name;
    EXPECT_TRUE(std::isfinite(lowest)) << problem.name;
  }
}

TEST(HighProblems, EverySeedIsAFunctionOfItsOwn) {
  for (const ContinuousProblem& problem : HighProblems()) {
    const std::vector<double> point(problem.box.size(), 1.5);
    EXPECT_EQ(problem.task(3, 0)(point), problem.task(3, 0)(point)) << problem.name;
    EXPECT_NE(problem.task(3, 0)(point), problem.task(4, 0)(point)) << problem.name;
  }
}

}  // namespace
}  // namespace slipstream::evidence
