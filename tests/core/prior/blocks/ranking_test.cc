#include "core/prior/blocks/ranking.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// Small whole numbers, so that there are many ties.
Matrix WholeNumbers(Index rows, Index columns, uint64_t seed) {
  Matrix numbers(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    numbers.row(i) = RandomVector(columns, 0, 4, seed + static_cast<uint64_t>(i)).transpose();
  }
  return numbers.array().floor();
}

LeftOut SomeLeftOut(Index points) {
  const Matrix root = WholeNumbers(points, points, 90) * 0.1;
  Matrix means(points, points);
  for (Index j = 0; j < points; ++j) means.col(j) = RandomVector(points, 0, 4, 50 + j);
  return {means, root.triangularView<Eigen::Lower>(), WholeNumbers(points, points, 70) * 0.2};
}

// Pair by pair.
double NaiveRankingLoss(const Vector& predicted, const Vector& y) {
  double loss = 0;
  for (Index j = 0; j < y.size(); ++j) {
    for (Index k = 0; k < y.size(); ++k) {
      loss += (predicted[j] < predicted[k]) != (y[j] < y[k]) ? 1 : 0;
    }
  }
  return loss;
}

TEST(Ranking, CountsEachPairInBothOrders) {
  const Vector y{{1, 2, 3}};
  EXPECT_EQ(RankingLoss(Vector{{4, 5, 6}}, y), 0);
  EXPECT_EQ(RankingLoss(Vector{{6, 5, 4}}, y), 6);
  EXPECT_EQ(RankingLoss(Vector{{0, 0, 0}}, y), 3);
  EXPECT_EQ(RankingLoss(Vector{{1, 2, 3}}, Vector{{0, 0, 0}}), 3);
}

TEST(Ranking, CountsWhatIsMisrankedPairByPairWithTiesAndWithout) {
  for (const Index points : {0, 1, 2, 3, 8, 9, 17, 50, 200}) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Vector tied = WholeNumbers(1, points, seed).row(0).transpose();
      const Vector also_tied = WholeNumbers(1, points, seed + 10).row(0).transpose();
      const Vector different = RandomVector(points, -1, 1, seed + 20);
      const Vector others = RandomVector(points, -1, 1, seed + 30);
      for (const Vector& predicted : {also_tied, different}) {
        for (const Vector& y : {tied, others}) {
          EXPECT_EQ(RankingLoss(predicted, y), NaiveRankingLoss(predicted, y)) << points;
        }
      }
    }
  }
}

TEST(Ranking, OfDrawsIsThatOfEachWithTiesAndWithout) {
  const Vector y = WholeNumbers(1, 9, 3).row(0).transpose();
  const Matrix draws = WholeNumbers(40, 9, 100);
  const Vector losses = RankingLosses(draws, y);
  for (Index s = 0; s < 40; ++s) {
    EXPECT_EQ(losses[s], RankingLoss(draws.row(s).transpose(), y)) << s;
  }
  const Vector continuous = RandomVector(9, -1, 1, 4);
  EXPECT_EQ(RankingLosses(continuous.transpose(), y)[0], RankingLoss(continuous, y));
}

TEST(Ranking, OfLeftOutFunctionsIsCountedPairByPair) {
  const Index points = 7;
  const LeftOut left_out = SomeLeftOut(points);
  const Vector y = WholeNumbers(1, points, 3).row(0).transpose();
  const Matrix common = WholeNumbers(30, points, 200).array() - 2;
  const Matrix own = WholeNumbers(30, points, 300).array() - 1.5;
  const Vector joint = LeftOutLosses(left_out, y, common, own);
  const Vector simple = LeftOutLossesAgainstResults(left_out, y, own);
  for (Index s = 0; s < 30; ++s) {
    double joint_loss = 0;
    double simple_loss = 0;
    for (Index j = 0; j < points; ++j) {
      Vector function = left_out.means.col(j) + left_out.common * common.row(s).transpose();
      function += own(s, j) * left_out.own.col(j);
      const double drawn = left_out.means(j, j) + left_out.Deviations()[j] * own(s, j);
      for (Index k = 0; k < points; ++k) {
        if (k == j) continue;
        joint_loss += (function[j] < function[k]) != (y[j] < y[k]) ? 1 : 0;
        simple_loss += (drawn < y[k]) != (y[j] < y[k]) ? 1 : 0;
      }
    }
    EXPECT_EQ(joint[s], joint_loss) << s;
    EXPECT_EQ(simple[s], simple_loss) << s;
  }
}

TEST(Ranking, OfABootstrapSampleIsThatOfTheSampledPoints) {
  const Vector y = WholeNumbers(1, 8, 3).row(0).transpose();
  const Vector means = RandomVector(8, 0, 4, 5);
  const Matrix chosen = WholeNumbers(25, 8, 400) * 2;  // 0, 2, 4, 6.
  Matrix counts = Matrix::Zero(25, 8);
  for (Index s = 0; s < 25; ++s) {
    for (Index j = 0; j < 8; ++j) counts(s, static_cast<Index>(chosen(s, j))) += 1;
  }
  const Vector of_source = BootstrapLosses(MisrankedPairs(means, means, y), counts);
  const Vector of_target = BootstrapLosses(MisrankedPairs(means, y, y), counts);
  for (Index s = 0; s < 25; ++s) {
    double source_loss = 0;
    double target_loss = 0;
    for (Index p = 0; p < 8; ++p) {
      for (Index q = 0; q < 8; ++q) {
        const auto j = static_cast<Index>(chosen(s, p));
        const auto k = static_cast<Index>(chosen(s, q));
        if (j == k) continue;
        source_loss += (means[j] < means[k]) != (y[j] < y[k]) ? 1 : 0;
        target_loss += (means[j] < y[k]) != (y[j] < y[k]) ? 1 : 0;
      }
    }
    EXPECT_EQ(of_source[s], source_loss) << s;
    EXPECT_EQ(of_target[s], target_loss) << s;
  }
}

TEST(Ranking, GivesTiesToTheTargetOrToAllSources) {
  Matrix losses(4, 3);  // The target last.
  losses << 1, 2, 3,    // The first source.
      2, 2, 2,          // All.
      1, 1, 5,          // Both sources.
      4, 0, 0;          // The second source and the target.
  EXPECT_EQ(RankingWeights(losses), Vector({{1.5 / 4, 0.5 / 4, 0.5}}));
  losses.leftCols(2).setConstant(std::numeric_limits<double>::infinity());
  EXPECT_EQ(RankingWeights(losses), Vector({{0, 0, 1}}));
}

TEST(Ranking, InterpolatesQuantiles) {
  const Vector values{{5, 1, 3, 2}};
  EXPECT_EQ(QuantileOf(values, 0), 1);
  EXPECT_EQ(QuantileOf(values, 0.5), 2.5);
  EXPECT_EQ(QuantileOf(values, 1), 5);
  EXPECT_NEAR(QuantileOf(values, 0.95), 4.7, 1e-12);
  EXPECT_EQ(QuantileOf(Vector::Constant(1, 7.0), 0.95), 7);
}

}  // namespace
}  // namespace slipstream
