#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/branch_regrets.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {
namespace {

TEST(MixedDevelopment, TheBestOfFourBranchesLooksWorst) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = MakeProblem("four_branches", {seed, false, false, ""});
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_GT(MedianRegretInBestBranch(*problem), 1.3 * MedianRegretInOtherBranches(*problem))
        << seed;
  }
}

TEST(MixedDevelopment, OrdinalStepsAreSteps) {
  const auto problem = MakeProblem("ordinal_steps", {3, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (const Point& point : problem->initial) {
    const double steps = problem->value(point) / 0.04;
    EXPECT_NEAR(steps, std::round(steps), 1e-9);
  }
}

TEST(MixedDevelopment, OneOfAHundredWordsIsBest) {
  const auto problem = MakeProblem("hundred_words", {0, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->space->parameters()[*problem->branch].name, "word");
  EXPECT_GT(MedianRegretInOtherBranches(*problem), MedianRegretInBestBranch(*problem));
}

}  // namespace
}  // namespace slipstream::evidence
