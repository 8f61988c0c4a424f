#include "tests/evidence/paper_problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>

#include "tests/evidence/problems.h"

namespace slipstream::evidence {
namespace {

Problem ProblemNamed(const std::string& name, bool sources = true) {
  return *MakeProblem(name, {2, /*initial_points=*/true, sources, ""});
}

TEST(PaperProblems, TheGridsBestValueIsOnTheGrid) {
  const Problem problem = ProblemNamed("delta_bohachevsky");
  EXPECT_EQ(problem.space->parameters().size(), 2);
  // The grid has no point at the minimum, and four equal ones around it.
  EXPECT_NEAR(problem.best, 0.011186, 1e-6);
  EXPECT_EQ(problem.worst, 12);
  const auto& sides = std::get<DiscreteDomain>(problem.space->parameters()[0].domain).values;
  ASSERT_EQ(sides.size(), 120);
  const auto beside = problem.space->Resolve({{{"x1", sides[60]}, {"x2", sides[59]}}});
  ASSERT_TRUE(beside.ok()) << beside.status();
  EXPECT_NEAR(problem.RegretOf(problem.value({*beside, {}})), 0, 1e-12);
  EXPECT_FALSE(problem.space->Resolve({{{"x1", 0.0}, {"x2", 0.0}}}).ok());
}

TEST(PaperProblems, SourcesHaveFourHundredPointsAndTheNoiseOfThePaper) {
  for (const char* name : {"delta_bumps", "delta_bumps_wide", "delta_bohachevsky", "delta_model"}) {
    const Problem problem = ProblemNamed(name);
    ASSERT_EQ(problem.sources.size(), 1) << name;
    EXPECT_EQ(problem.sources[0]->points.size(), 400) << name;
    EXPECT_FALSE(problem.noiseless) << name;
  }
  EXPECT_NEAR(ProblemNamed("delta_bohachevsky").noise_deviation, std::sqrt(0.06), 1e-12);
}

TEST(PaperProblems, ASampleHasItsNormAndDependsOnTheSeed) {
  const SpaceSample sample = {.dimension = 2, .points = 6, .lengthscale = 0.2, .norm = 3};
  const KernelSum one = DrawFromSpace(sample, 1);
  EXPECT_EQ(one.centres.size(), 36);
  EXPECT_NEAR(one.Norm(), 3, 1e-9);
  EXPECT_NE(one.coefficients, DrawFromSpace(sample, 2).coefficients);
  EXPECT_EQ(one.coefficients, DrawFromSpace(sample, 1).coefficients);
}

}  // namespace
}  // namespace slipstream::evidence
