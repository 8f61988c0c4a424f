#include "tests/evidence/mixed_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/base/counter_random.h"
#include "tests/core/space/configurations.h"
#include "tests/evidence/grid_problems.h"

namespace slipstream::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr uint64_t kSeeds = 20;

Problem MixedProblemOf(const MixedProblem& problem, uint64_t seed) {
  return *MakeMixedProblem(problem, {seed, /*initial_points=*/true, false, ""});
}

// Real tunings, which are grids of results, are mixed problems too.
TEST(MixedProblems, AtLeastHalfAreForReportsAlone) {
  std::map<absl::string_view, int> counts;
  for (const MixedProblem& problem : MixedProblems()) ++counts[problem.group];
  for (const GridProblem& problem : GridProblems()) ++counts[problem.group];
  EXPECT_THAT(counts, SizeIs(7));
  EXPECT_GE(counts[kMixedDevelopment], 8);
  EXPECT_GE(counts[kMixed], counts[kMixedDevelopment]);
}

TEST(MixedProblems, TheOptimumIsLegalAndHasTheBestValue) {
  for (const MixedProblem& listed : MixedProblems()) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Problem problem = MixedProblemOf(listed, seed);
      const MixedTask task = MixedTaskOf(listed, *problem.space, seed);
      ASSERT_TRUE(IsLegal(*problem.space, task.optimum)) << listed.name << " " << seed;
      EXPECT_EQ(problem.value({task.optimum, {}}), problem.best) << listed.name << " " << seed;
      if (!problem.branch.has_value()) continue;
      EXPECT_THAT(problem.best_branches, ElementsAre(task.optimum.values[*problem.branch]));
    }
  }
}

// Changes one coordinate at a time, ever less, and keeps what is better.
double ImprovedValue(const Problem& problem, std::vector<double> point, double value,
                     uint64_t seed) {
  for (uint64_t step = 0; step < 300; ++step) {
    std::vector<double> changed = point;
    const uint64_t index = CounterRandomBits(seed, step, 0) % point.size();
    const double radius = std::pow(0.97, static_cast<double>(step));
    changed[index] += radius * (2 * CounterRandomUniform(seed, step, 1) - 1);
    const double other = problem.value({problem.space->Decode(changed), {}});
    if (!(other <= value)) continue;
    value = other;
    point = changed;
  }
  return value;
}

TEST(MixedProblems, ADenseSearchFindsNothingBetterThanTheBest) {
  constexpr uint64_t kPoints = 20000;
  for (const MixedProblem& listed : MixedProblems()) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const Problem problem = MixedProblemOf(listed, seed);
      std::vector<double> uniform(problem.space->dimension());
      for (uint64_t i = 0; i < kPoints; ++i) {
        for (size_t j = 0; j < uniform.size(); ++j) uniform[j] = CounterRandomUniform(seed, i, j);
        const Configuration configuration = problem.space->Sample(uniform);
        double value = problem.value({configuration, {}});
        if (std::isnan(value)) continue;
        ASSERT_GE(value, problem.best - 1e-12) << listed.name << " " << seed;
        if (i % 200 != 0) continue;
        value = ImprovedValue(problem, CoordinatesOf(*problem.space, configuration), value, i);
        ASSERT_GE(value, problem.best - 1e-9) << listed.name << " " << seed;
      }
    }
  }
}

// The parameter that tells branches apart decides: with another choice the best value
// is out of reach.
TEST(MixedProblems, NoOtherBranchComesNearTheBest) {
  constexpr uint64_t kPoints = 4000;
  for (const MixedProblem& listed : MixedProblems()) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const Problem problem = MixedProblemOf(listed, seed);
      if (!problem.branch.has_value()) continue;
      std::vector<double> uniform(problem.space->dimension());
      for (uint64_t i = 0; i < kPoints; ++i) {
        for (size_t j = 0; j < uniform.size(); ++j) uniform[j] = CounterRandomUniform(seed, i, j);
        const Configuration configuration = problem.space->Sample(uniform);
        if (configuration.values[*problem.branch] == problem.best_branches[0]) continue;
        ASSERT_GT(problem.value({configuration, {}}), problem.best + 0.005)
            << listed.name << " " << seed;
      }
    }
  }
}

TEST(MixedProblems, EverySeedIsAnotherMemberOfTheFamily) {
  for (const MixedProblem& listed : MixedProblems()) {
    const Problem first = MixedProblemOf(listed, 0);
    const Problem other = MixedProblemOf(listed, 1);
    EXPECT_NE(first.mean, other.mean) << listed.name;
    EXPECT_EQ(first.initial.size(), 5) << listed.name;
    EXPECT_FALSE(first.initial[0].configuration == other.initial[0].configuration) << listed.name;
  }
}

TEST(MixedProblems, HaveNoSourceTasks) {
  EXPECT_EQ(MakeMixedProblem(MixedProblems().front(), {0, false, true, ""}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace slipstream::evidence
