#include <gtest/gtest.h>

#include "tests/evidence/branch_regrets.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {
namespace {

TEST(MixedReported, TheFunnelLooksWorseThanItsDecoys) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = MakeProblem("decoy_branches", {seed, false, false, ""});
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_GT(MedianRegretInBestBranch(*problem), MedianRegretInOtherBranches(*problem)) << seed;
  }
}

TEST(MixedReported, MostIterativeSolversAreSlowerThanDirectOnes) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = MakeProblem("nested_solver", {seed, false, false, ""});
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_GT(MedianRegretInBestBranch(*problem), 1.5 * MedianRegretInOtherBranches(*problem))
        << seed;
  }
}

TEST(MixedReported, MostOfThePlateausIsAPlain) {
  const auto problem = MakeProblem("plateaus", {0, false, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(MedianRegret(*problem, [](const Value&) { return true; }), 1);
}

}  // namespace
}  // namespace slipstream::evidence
