#include "core/prior/ordinal_scores.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/naive_ranking.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

Matrix CovarianceOf(const PointMatrix& x) {
  return NaiveMatrix(
      [](const Vector& a, const Vector& b) {
        return NaiveMatern52(a, b, Vector::Constant(a.size(), 0.5));
      },
      x, x);
}

TEST(OrdinalScores, AreThoseOfTheActiveSets) {
  const std::vector<Index> counts = {5, 0, 8, 1, 6};
  const TrainingData data = Sampled(Wave, 2, 20, 1);
  const Matrix k = CovarianceOf(data.x);
  for (const double penalty : {0.1, 1.0, 10.0}) {
    const Vector expected = NaiveScores(k, data.y, counts, penalty);
    const Vector actual = OrdinalScores(k, data.y, counts, penalty).value();
    EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-3) << penalty;
  }
}

// What is minimised is flat at the scores: f = -K d(slacks)/df.
TEST(OrdinalScores, AreStationary) {
  const std::vector<Index> counts = {30, 50};
  const TrainingData data = Sampled(Wave, 3, 80, 2);
  const Matrix k = CovarianceOf(data.x);
  const Vector scores = OrdinalScores(k, data.y, counts, 10).value();
  Vector pull = Vector::Zero(80);
  Index first = 0;
  for (Index count : counts) {
    for (Index i = first; i < first + count; ++i) {
      for (Index j = first; j < first + count; ++j) {
        const double slack = 1 - (scores[i] - scores[j]);
        if (data.y[i] <= data.y[j] || slack <= 0) continue;
        pull[i] += 20 / static_cast<double>(count) * slack;
        pull[j] -= 20 / static_cast<double>(count) * slack;
      }
    }
    first += count;
  }
  EXPECT_LT((scores - k * pull).cwiseAbs().maxCoeff(), 0.01 * scores.cwiseAbs().maxCoeff());
  EXPECT_GT(PartInOrder(scores.head(30), data.y.head(30)), 0.95);
}

TEST(OrdinalScores, SayNoMoreThanTheOrder) {
  const TrainingData data = Sampled(Wave, 2, 12, 3);
  const Matrix k = CovarianceOf(data.x);
  const Vector bent = (5 * data.y.array()).exp() - 3;
  EXPECT_EQ(OrdinalScores(k, data.y, {6, 6}, 1).value(), OrdinalScores(k, bent, {6, 6}, 1).value());
  // The scores of each task by itself.
  Vector moved = data.y;
  moved.tail(6).array() += 100;
  EXPECT_EQ(OrdinalScores(k, data.y, {6, 6}, 1).value(),
            OrdinalScores(k, moved, {6, 6}, 1).value());
}

TEST(OrdinalScores, OfNothingToOrderAreZero) {
  const TrainingData data = Sampled(Wave, 2, 4, 3);
  const Matrix k = CovarianceOf(data.x);
  EXPECT_EQ(OrdinalScores(k, Vector::Ones(4), {4}, 1).value(), Vector::Zero(4));
  EXPECT_EQ(OrdinalScores(k, data.y, {1, 1, 1, 1}, 1).value(), Vector::Zero(4));
  EXPECT_EQ(OrdinalScores(Matrix(0, 0), Vector(0), {0}, 1).value().size(), 0);
  EXPECT_EQ(PartInOrder(Vector::Zero(4), Vector::Ones(4)), 1);
}

TEST(OrdinalScores, OfOnePlaceWithDifferentResultsAreFinite) {
  const Vector y{{1, 2, 3}};
  const Vector scores = OrdinalScores(Matrix::Ones(3, 3), y, {3}, 1).value();
  EXPECT_TRUE(scores.allFinite());
  EXPECT_LT(scores.maxCoeff() - scores.minCoeff(), 0.1);
}

}  // namespace
}  // namespace slipstream
