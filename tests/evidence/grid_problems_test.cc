#include "tests/evidence/grid_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

using ::testing::SizeIs;

Problem GridProblemOf(const GridProblem& grid) {
  return *MakeGridProblem(grid, {3, /*initial_points=*/true, false, ""});
}

TEST(GridProblems, EveryConfigurationWasRecorded) {
  for (const GridProblem& grid : GridProblems()) {
    const Problem problem = GridProblemOf(grid);
    std::set<double> values;
    for (uint64_t i = 0; i < 20000; ++i) {
      const double value = problem.value({RandomConfiguration(*problem.space, 5, i), {}});
      ASSERT_GE(problem.RegretOf(value), 0) << grid.name;
      ASSERT_LE(value, problem.worst) << grid.name;
      values.insert(value);
    }
    EXPECT_GT(values.size(), 50) << grid.name;
  }
}

TEST(GridProblems, TheMeanConfigurationHasRegretOne) {
  for (const GridProblem& grid : GridProblems()) {
    const Problem problem = GridProblemOf(grid);
    EXPECT_NEAR(problem.RegretOf(problem.mean), 1, 1e-12) << grid.name;
    EXPECT_EQ(problem.RegretOf(problem.best), 0) << grid.name;
    EXPECT_THAT(problem.initial, SizeIs(5)) << grid.name;
    EXPECT_FALSE(problem.best_branches.empty()) << grid.name;
  }
}

TEST(GridProblems, ValuesAreThoseOfTheFile) {
  const Problem problem = GridProblemOf(GridProblems()[0]);
  const auto configuration =
      problem.space->Resolve({{{"components", 1.0}, {"cost", 1e-4}, {"kernel", "linear"}}});
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  EXPECT_EQ(problem.value({*configuration, {}}), 0.37304);
}

TEST(GridProblems, HaveNoSourceTasks) {
  EXPECT_EQ(MakeGridProblem(GridProblems()[0], {0, false, true, ""}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace slipstream::evidence
