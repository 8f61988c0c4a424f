#include "tests/core/space/configurations.h"
#include "tests/evidence/mixed_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace slipstream::evidence {
namespace {

using ::testing::SizeIs;

constexpr uint64_t kFamilySeeds = 20;

Problem FamilyProblem(const MixedFamily& family, uint64_t seed) {
  return *MakeMixedFamilyProblem(family, {seed, false, /*source_tasks=*/true, ""});
}

const MixedFamily& FamilyNamed(absl::string_view name) {
  const auto& families = MixedFamilies();
  return *std::find_if(families.begin(), families.end(),
                       [name](const MixedFamily& family) { return family.name == name; });
}

Value BestBranch(const MixedTask& task, const SearchSpace& space) {
  return task.optimum.values[*space.IndexOf(task.branch)];
}

// How many of the sources' best branches are the study's.
int SharedBranches(const MixedFamily& family) {
  int shared = 0;
  for (uint64_t seed = 0; seed < kFamilySeeds; ++seed) {
    const Problem problem = FamilyProblem(family, seed);
    for (uint64_t i = 0; i < kMixedSources; ++i) {
      const MixedTask source = SourceTaskOf(family, *problem.space, seed, i);
      if (BestBranch(source, *problem.space) == problem.best_branches[0]) ++shared;
    }
  }
  return shared;
}

double MeanRegretOfBestSourcePoint(const MixedFamily& family) {
  double sum = 0;
  for (uint64_t seed = 0; seed < kFamilySeeds; ++seed) {
    const Problem problem = FamilyProblem(family, seed);
    for (const auto& source : problem.sources) {
      const auto best = std::min_element(
          source->points.begin(), source->points.end(),
          [](const SourcePoint& a, const SourcePoint& b) { return *a.value < *b.value; });
      sum += problem.RegretOf(problem.value({best->configuration, {}}));
    }
  }
  return sum / (kFamilySeeds * kMixedSources);
}

TEST(MixedFamilies, AreThoseOfEachProblemForDevelopmentAndForReports) {
  for (const MixedFamily& family : MixedFamilies()) {
    EXPECT_EQ(family.group == kMixedFamily, family.problem->group == kMixed) << family.name;
  }
  EXPECT_EQ(MixedFamilies().size() % 3, 0);
}

TEST(MixedFamilies, SourcesAreHistoriesOfTheirTasks) {
  for (const MixedFamily& family : MixedFamilies()) {
    const Problem problem = FamilyProblem(family, 1);
    ASSERT_THAT(problem.sources, SizeIs(kMixedSources)) << family.name;
    for (uint64_t i = 0; i < kMixedSources; ++i) {
      const MixedTask task = SourceTaskOf(family, *problem.space, 1, i);
      EXPECT_EQ(problem.sources[i]->goal, problem.goal) << family.name;
      const double best = task.value(Setting(*problem.space, task.optimum));
      for (const SourcePoint& point : problem.sources[i]->points) {
        ASSERT_TRUE(IsLegal(*problem.space, point.configuration)) << family.name;
        ASSERT_EQ(*point.value, task.value(Setting(*problem.space, point.configuration)));
        ASSERT_GE(*point.value, best - 1e-12) << family.name;
      }
    }
  }
}

TEST(MixedFamilies, TheStudysOwnTaskIsThatOfTheProblem) {
  const MixedFamily& family = FamilyNamed("four_branches_moved_family");
  const Problem with = FamilyProblem(family, 3);
  const Problem without = *MakeMixedProblem(*family.problem, {3, false, false, ""});
  EXPECT_EQ(with.best, without.best);
  EXPECT_EQ(with.best_branches, without.best_branches);
}

TEST(MixedFamilies, BestBranchesAreMostlySharedNeverOrByChance) {
  constexpr int kAll = kFamilySeeds * kMixedSources;
  EXPECT_GT(SharedBranches(FamilyNamed("four_branches_family")), kAll / 2);
  EXPECT_EQ(SharedBranches(FamilyNamed("four_branches_moved_family")), 0);
  EXPECT_LT(SharedBranches(FamilyNamed("four_branches_strangers")), kAll / 2);
}

TEST(MixedFamilies, SourcesThatAreAkinLeadNearerToTheOptimumThanStrangers) {
  for (const char* problem : {"four_branches", "nested_pipeline", "ordinal_steps"}) {
    const std::string name = problem;
    EXPECT_LT(MeanRegretOfBestSourcePoint(FamilyNamed(name + "_family")),
              0.7 * MeanRegretOfBestSourcePoint(FamilyNamed(name + "_strangers")))
        << name;
  }
}

TEST(MixedFamilies, WithoutSourcesThereAreNone) {
  const MixedFamily& family = FamilyNamed("four_branches_family");
  EXPECT_THAT((*MakeMixedFamilyProblem(family, {1, true, false, ""})).sources, SizeIs(0));
}

}  // namespace
}  // namespace slipstream::evidence
