#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/counter_random.h"
#include "tests/evidence/mixed_problems.h"

namespace slipstream::evidence {
namespace {

// The part of a problem's space where results are better than guesses by more than a fiftieth.
double LearningPart(const Problem& problem, double guesses, uint64_t seed) {
  constexpr uint64_t kPoints = 4000;
  int learns = 0;
  std::vector<double> uniform(problem.space->dimension());
  for (uint64_t i = 0; i < kPoints; ++i) {
    for (size_t j = 0; j < uniform.size(); ++j) uniform[j] = CounterRandomUniform(seed, i, j);
    learns += problem.value({problem.space->Sample(uniform), {}}) < 0.98 * guesses ? 1 : 0;
  }
  return learns / static_cast<double>(kPoints);
}

TEST(ChanceProblems, LearnInASmallPartOfTheSpace) {
  constexpr uint64_t kSeeds = 10;
  for (const MixedProblem& listed : ChanceProblems()) {
    double part = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto problem = MakeMixedProblem(listed, {seed, false, false, ""});
      ASSERT_TRUE(problem.ok()) << problem.status();
      const double guesses = listed.name == "reward" ? 200 : std::log(10.0);
      const double of_seed = LearningPart(*problem, guesses, seed);
      EXPECT_GT(of_seed, 0.002) << listed.name << " " << seed;
      EXPECT_LT(problem->best, 0.25 * guesses) << listed.name << " " << seed;
      part += of_seed / kSeeds;
    }
    EXPECT_LT(part, 0.2) << listed.name;
    EXPECT_GT(part, 0.01) << listed.name;
  }
}

}  // namespace
}  // namespace slipstream::evidence
