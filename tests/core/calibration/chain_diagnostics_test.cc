#include "core/calibration/chain_diagnostics.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

// Chains of x' = coefficient x + noise that start in their stationary law of
// deviation 1.
Matrix AutoregressiveChains(Index draws, Index chains, double coefficient, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const double innovation = std::sqrt(1 - coefficient * coefficient);
  Matrix chain(draws, chains);
  for (Index c = 0; c < chains; ++c) {
    double state = normal(engine);
    for (Index i = 0; i < draws; ++i) {
      chain(i, c) = state;
      state = coefficient * state + innovation * normal(engine);
    }
  }
  return chain;
}

// Gelman et al. 2013, equations 11.1 to 11.4, written out.
double NaiveSplitRHat(const Matrix& draws) {
  const Index half = draws.rows() / 2;
  Matrix halves(half, 2 * draws.cols());
  for (Index c = 0; c < draws.cols(); ++c) {
    halves.col(2 * c) = draws.col(c).head(half);
    halves.col(2 * c + 1) = draws.col(c).tail(half);
  }
  const double n = static_cast<double>(half);
  const double m = static_cast<double>(halves.cols());
  const Vector means = halves.colwise().mean();
  const double between = n / (m - 1) * (means.array() - means.mean()).square().sum();
  double within = 0;
  for (Index j = 0; j < halves.cols(); ++j) {
    within += (halves.col(j).array() - means[j]).square().sum() / (n - 1) / m;
  }
  return std::sqrt(((n - 1) / n * within + between / n) / within);
}

TEST(SplitRHat, IsTheFormulaOfTheBook) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    for (Index chains : {1, 2, 5}) {
      for (Index draws : {4, 5, 10, 61, 200}) {
        const Matrix chain = AutoregressiveChains(draws, chains, 0.6, seed);
        EXPECT_NEAR(SplitRHat(chain), NaiveSplitRHat(chain), 1e-9)
            << chains << " chains of " << draws;
      }
    }
  }
}

TEST(SplitRHat, IsNearOneForIndependentDraws) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const double hat = SplitRHat(AutoregressiveChains(2000, 4, 0, seed));
    EXPECT_NEAR(hat, 1, 0.005);
  }
}

TEST(SplitRHat, IsLargeForChainsAroundDifferentMeans) {
  Matrix chains = AutoregressiveChains(500, 3, 0, 1);
  chains.col(2).array() += 5;
  EXPECT_GT(SplitRHat(chains), 2);
}

TEST(SplitRHat, IsLargeForAChainThatDrifts) {
  Matrix chain = AutoregressiveChains(500, 1, 0, 1);
  for (Index i = 0; i < chain.rows(); ++i) chain(i, 0) += 0.02 * static_cast<double>(i);
  EXPECT_GT(SplitRHat(chain), 1.5);
}

TEST(SplitRHat, IsOneForAConstant) {
  EXPECT_EQ(SplitRHat(Matrix::Constant(10, 2, 3.7)), 1);
  EXPECT_EQ(SplitRHat(Matrix::Constant(4, 1, 0)), 1);
  EXPECT_EQ(SplitRHat(Matrix::Constant(1000, 4, 0.1)), 1);
}

TEST(SplitRHat, IsLargeForChainsThatStandStillInDifferentPlaces) {
  Matrix chains = Matrix::Zero(100, 2);
  chains.col(1).setOnes();
  EXPECT_GT(SplitRHat(chains), 1.1);
}

TEST(SplitRHat, DoesNotChangeWithUnits) {
  const Matrix chains = AutoregressiveChains(200, 2, 0.5, 3);
  const Matrix scaled = (chains.array() * 1e-6 + 10).matrix();
  EXPECT_NEAR(SplitRHat(scaled), SplitRHat(chains), 1e-7);
}

TEST(EffectiveSampleSize, IsNearTheNumberOfIndependentDraws) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const double size = EffectiveSampleSize(AutoregressiveChains(2000, 2, 0, seed));
    EXPECT_GT(size, 0.75 * 4000);
    EXPECT_LE(size, 4000);
  }
}

TEST(EffectiveSampleSize, CountsAutoregressiveChainsByTheirTheory) {
  for (double coefficient : {0.5, 0.9}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      const double theory = 4 * 5000 * (1 - coefficient) / (1 + coefficient);
      const double size = EffectiveSampleSize(AutoregressiveChains(5000, 4, coefficient, seed));
      EXPECT_NEAR(size, theory, 0.3 * theory) << coefficient;
    }
  }
}

TEST(EffectiveSampleSize, TellsTheErrorOfTheMean) {
  // Over many chains the mean's variance is 1 / (effective sample size).
  const int repeats = 400;
  double squares = 0;
  double sizes = 0;
  for (int seed = 0; seed < repeats; ++seed) {
    const Matrix chains = AutoregressiveChains(500, 2, 0.7, static_cast<unsigned>(seed));
    squares += chains.mean() * chains.mean() / repeats;
    sizes += EffectiveSampleSize(chains) / repeats;
  }
  EXPECT_NEAR(squares * sizes, 1, 0.3);
}

TEST(EffectiveSampleSize, IsNeverMoreThanTheNumberOfDraws) {
  // Antithetic chains know the mean better than independent ones would.
  const Matrix chains = AutoregressiveChains(1000, 2, -0.8, 5);
  EXPECT_LE(EffectiveSampleSize(chains), 2000);
  EXPECT_GT(EffectiveSampleSize(chains), 1000);
}

TEST(EffectiveSampleSize, IsSmallForChainsAroundDifferentMeans) {
  Matrix chains = AutoregressiveChains(500, 2, 0, 1);
  chains.col(1).array() += 10;
  EXPECT_LT(EffectiveSampleSize(chains), 20);
}

TEST(EffectiveSampleSize, IsFiniteAndPositiveForTheShortestChainsAndConstants) {
  for (Index draws : {4, 5, 6, 7}) {
    const double size = EffectiveSampleSize(AutoregressiveChains(draws, 1, 0.3, 2));
    EXPECT_GT(size, 0);
    EXPECT_LE(size, static_cast<double>(draws));
    const double constant = EffectiveSampleSize(Matrix::Constant(draws, 2, 0.1));
    EXPECT_GT(constant, 0);
    EXPECT_LE(constant, static_cast<double>(2 * draws));
  }
}

}  // namespace
}  // namespace slipstream
