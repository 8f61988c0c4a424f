#include "tests/evidence/odd_problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/evidence/random_draws.h"
#include "tests/evidence/study.h"

namespace slipstream::evidence {
namespace {

Problem MustMake(const std::string& name, uint64_t seed = 1) {
  for (const OddProblem& odd : OddProblems()) {
    if (odd.name != name) continue;
    auto made = MakeOddProblem(odd, {seed, /*initial_points=*/false, false, ""});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  ADD_FAILURE() << "there is no " << name;
  return {};
}

TEST(OddProblems, BothGroupsHaveEveryKind) {
  int development = 0;
  for (const OddProblem& odd : OddProblems()) development += odd.group == kOddDevelopment ? 1 : 0;
  EXPECT_EQ(development * 2, static_cast<int>(OddProblems().size()));
  EXPECT_GE(development, 10);
}

TEST(OddProblems, NoRandomPointIsBetterThanTheBest) {
  for (const OddProblem& odd : OddProblems()) {
    const Problem problem = MustMake(odd.name);
    int without_value = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
      const double value = problem.value({RandomConfiguration(*problem.space, 3, i), {}});
      without_value += std::isnan(value) ? 1 : 0;
      EXPECT_FALSE(value < problem.best) << odd.name;
    }
    const bool has_holes = odd.name.find("infeasible") != std::string::npos ||
                           odd.name.find("failing") != std::string::npos ||
                           odd.name.find("beside_nothing") != std::string::npos;
    EXPECT_GE(without_value, has_holes ? 150 : 0) << odd.name;
    EXPECT_LE(without_value, has_holes ? 850 : 0) << odd.name;
    EXPECT_GE(problem.RegretOf(problem.worst), problem.RegretOf(problem.mean)) << odd.name;
  }
}

TEST(OddProblems, ThirtyDecadesAreThat) {
  const Problem problem = MustMake("thirty_decades_ackley3");
  EXPECT_GT(problem.worst, 1e13);
  EXPECT_LT(problem.worst, 1e30);
}

TEST(OddProblems, ResultsDriftAndNoiseGrows) {
  const Problem drift = MustMake("drift_ackley3");
  EXPECT_NEAR(NoiseOf(drift, 5, 100) - NoiseOf(drift, 5, 50), 0.5, 1e-12);
  const Problem growing = MustMake("growing_noise_ackley3");
  double early = 0;
  double late = 0;
  for (uint64_t i = 1; i <= 30; ++i) {
    early += std::abs(NoiseOf(growing, 5, i));
    late += std::abs(NoiseOf(growing, 5, 100 + i));
  }
  EXPECT_GT(late, 3 * early);
}

}  // namespace
}  // namespace slipstream::evidence
