#include "core/exploration/exp3.h"

#include <cmath>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(Exp3, FollowsTheMultiplicativeWeightsOfThePaper) {
  const std::vector<Exp3Round> rounds = {
      {0, 0.4, 0.7}, {1, 0.6, 1.0}, {1, 0.55, 0.2}, {2, 0.1, 0.9}, {0, 0.3, 0.0}};
  const double rate = 0.18;
  std::vector<double> weights = {1, 1, 1};
  for (const Exp3Round& round : rounds) {
    weights[round.arm] *= std::exp(rate * round.reward / (3 * round.probability));
  }
  const double sum = weights[0] + weights[1] + weights[2];
  const std::vector<double> probabilities = Exp3Probabilities(rounds, 3, rate);
  for (size_t arm = 0; arm < 3; ++arm) {
    EXPECT_NEAR(probabilities[arm], (1 - rate) * weights[arm] / sum + rate / 3, 1e-14);
  }
}

TEST(Exp3, HasThePapersRates) {
  EXPECT_NEAR(Exp3Rate(2, 25), 0.180, 5e-4);  // T = 50 in blocks of two.
  EXPECT_NEAR(Exp3Rate(2, 50), 0.127, 5e-4);  // T = 100.
  EXPECT_NEAR(Exp3Rate(2, 25), std::sqrt(4 * std::log(2.0) / ((std::exp(1.0) - 1) * 50)), 1e-12);
  EXPECT_EQ(Exp3Rate(2, 0.1), 1);
}

TEST(Exp3, DoesNotOverflow) {
  const std::vector<Exp3Round> rounds(100000, {1, 0.09, 1});
  const std::vector<double> probabilities = Exp3Probabilities(rounds, 2, 0.18);
  EXPECT_NEAR(probabilities[0], 0.09, 1e-12);
  EXPECT_NEAR(probabilities[1], 0.91, 1e-12);
}

TEST(Hedge, IsASoftMaximum) {
  const std::vector<double> probabilities = HedgeProbabilities({1.0, 2.0, -1000.0}, 0.5);
  EXPECT_NEAR(probabilities[0], 1 / (1 + std::exp(0.5)), 1e-12);
  EXPECT_NEAR(probabilities[1], std::exp(0.5) / (1 + std::exp(0.5)), 1e-12);
  EXPECT_NEAR(HedgeProbabilities({3.0, 4.0}, 0)[0], 0.5, 1e-15);
}

TEST(ArmAt, DividesTheUnitInterval) {
  const std::vector<double> probabilities = {0.25, 0.5, 0.25};
  EXPECT_EQ(ArmAt(probabilities, 0), 0U);
  EXPECT_EQ(ArmAt(probabilities, 0.2499), 0U);
  EXPECT_EQ(ArmAt(probabilities, 0.25), 1U);
  EXPECT_EQ(ArmAt(probabilities, 0.7499), 1U);
  EXPECT_EQ(ArmAt(probabilities, 0.9999999999999999), 2U);
}

}  // namespace
}  // namespace slipstream
