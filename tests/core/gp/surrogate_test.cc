#include "core/gp/surrogate.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"

namespace slipstream {
namespace {

std::unique_ptr<Surrogate> Fantasized(const Surrogate& surrogate, const PointMatrix& x) {
  absl::StatusOr<std::unique_ptr<Surrogate>> fantasy = surrogate.Fantasize(x);
  EXPECT_TRUE(fantasy.ok()) << fantasy.status();
  return std::move(fantasy).value();  // Throws, which fails the test.
}

TEST(Surrogate, AFantasyKeepsTheMeanAndShrinksTheVarianceAsTheDenseComputationDoes) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const Observations data = RandomObservations(believed.kinds, 15, 1);
    const GaussianProcess process = Fitted(believed.prior, data);
    const PointMatrix pending = RandomPoints(believed.kinds, 3, 2);
    const PointMatrix x = RandomPoints(believed.kinds, 10, 3);
    const std::unique_ptr<Surrogate> fantasy = Fantasized(process, pending);
    const Predictions before = process.Predict(x);
    const Predictions after = fantasy->Predict(x);
    EXPECT_LE((after.mean - before.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_TRUE((after.variance.array() <= before.variance.array() + 1e-12).all());
    const Observations seen{pending, process.Predict(pending).mean, Vector::Zero(3)};
    const LongPosterior expected =
        Conditioned(believed.belief, Together(ToLongData(data), ToLongData(seen)), ToLongPoints(x));
    EXPECT_LE(EntrywiseError(after.variance, expected.Variance()), 1e-5);  // It is blurred.
    EXPECT_LE(fantasy->Predict(pending).variance.maxCoeff(), 1e-6);
    EXPECT_GT(fantasy->Predict(pending).variance.minCoeff(), 0);
  }
}

TEST(Surrogate, FantasiesStackAndLeaveTheirOriginalAlone) {
  const Believed believed = BelievedOfEachKind().front();
  const GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 8, 11));
  const PointMatrix x = RandomPoints(believed.kinds, 5, 12);
  const Predictions before = process.Predict(x);
  const PointMatrix pending = RandomPoints(believed.kinds, 2, 13);
  const std::unique_ptr<Surrogate> first = Fantasized(process, pending.topRows(1));
  const std::unique_ptr<Surrogate> second = Fantasized(*first, pending.bottomRows(1));
  const std::unique_ptr<Surrogate> both = Fantasized(process, pending);
  EXPECT_LE((second->Predict(x).variance - both->Predict(x).variance).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(process.Predict(x).variance, before.variance);
  EXPECT_EQ(process.size(), 8);
}

TEST(Surrogate, FantasizesWhatHasBeenSeenOrFantasizedAlready) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 8, 21);
  data.noise_variance.setZero();
  const GaussianProcess process = Fitted(believed.prior, data);
  const PointMatrix x = RandomPoints(believed.kinds, 20, 22);
  const PointMatrix pending = data.x.row(3).replicate(4, 1);
  const std::unique_ptr<Surrogate> fantasy = Fantasized(process, pending);
  EXPECT_LE((fantasy->Predict(x).mean - process.Predict(x).mean).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT(fantasy->Predict(pending).variance.minCoeff(), 0);
}

TEST(Surrogate, AFantasyOfNothingIsACopy) {
  const Believed believed = BelievedOfEachKind().front();
  const GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 8, 31));
  const PointMatrix x = RandomPoints(believed.kinds, 5, 32);
  const auto fantasy = Fantasized(process, PointMatrix(0, process.dimension()));
  EXPECT_EQ(fantasy->Predict(x).mean, process.Predict(x).mean);
  EXPECT_EQ(fantasy->Predict(x).variance, process.Predict(x).variance);
}

// With n draws a mean errs by sqrt(v / n) and a covariance by at most
// sqrt(2) v / sqrt(n), v the greatest variance. Among 6 + 21 of them none
// exceeds 4.5 of these deviations but once in 5000 seeds; the seed is fixed.
TEST(Surrogate, JointDrawsHaveThePosteriorsMoments) {
  const Stack stack = FittedStack();
  const PointMatrix x = RandomPoints(stack.kinds, 6, 41);
  constexpr Index kDraws = 20000;
  const absl::StatusOr<Matrix> draws = DrawJointly(*stack.top, x, kDraws, 42);
  ASSERT_TRUE(draws.ok()) << draws.status();
  ASSERT_EQ(draws->rows(), 6);
  ASSERT_EQ(draws->cols(), kDraws);
  const LongPosterior expected =
      Conditioned(stack.belief, stack.data, ToLongPoints(x, Stack::kTop));
  const Matrix covariance = ToMatrix(expected.covariance);
  const double variance = covariance.diagonal().maxCoeff();
  const Vector mean = draws->rowwise().mean();
  const Matrix residuals = draws->colwise() - mean;
  const Matrix sample = residuals * residuals.transpose() / static_cast<double>(kDraws - 1);
  const double root = std::sqrt(static_cast<double>(kDraws));
  const Vector expected_mean = ToMatrix(ColumnOf(expected.mean)).col(0);
  EXPECT_LE((mean - expected_mean).cwiseAbs().maxCoeff(), 4.5 * std::sqrt(variance) / root);
  EXPECT_LE((sample - covariance).cwiseAbs().maxCoeff(), 4.5 * std::sqrt(2) * variance / root);
  // And they are normal: 4.55% lie beyond two deviations, of 120000 draws.
  const Vector deviations = covariance.diagonal().cwiseSqrt();
  const Matrix scaled = deviations.cwiseInverse().asDiagonal() * (draws->colwise() - expected_mean);
  const double beyond =
      static_cast<double>((scaled.array().abs() > 2).count()) / static_cast<double>(scaled.size());
  EXPECT_NEAR(beyond, 0.0455, 4.5 * std::sqrt(0.0455 / kDraws));
}

TEST(Surrogate, JointDrawsAreAFunctionOfTheSeed) {
  const Stack stack = FittedStack();
  const PointMatrix x = RandomPoints(stack.kinds, 4, 51);
  const Matrix first = DrawJointly(*stack.top, x, 5, 7).value();
  EXPECT_EQ(first, DrawJointly(*stack.top, x, 5, 7).value());
  EXPECT_NE(first, DrawJointly(*stack.top, x, 5, 8).value());
  for (Index i = 1; i < 5; ++i) EXPECT_NE(first.col(0), first.col(i));
}

TEST(Surrogate, DrawsPassThroughWhatIsKnown) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 6, 61);
  data.noise_variance.setZero();
  const GaussianProcess process = Fitted(believed.prior, data);
  PointMatrix x(8, data.x.cols());  // Known ones, twice one that is not.
  x << data.x, RandomPoints(believed.kinds, 1, 62).replicate(2, 1);
  const absl::StatusOr<Matrix> draws = DrawJointly(process, x, 50, 63);
  ASSERT_TRUE(draws.ok()) << draws.status();
  EXPECT_LE((draws->topRows(6).colwise() - data.y).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LE((draws->row(6) - draws->row(7)).cwiseAbs().maxCoeff(), 1e-2);
  const absl::StatusOr<Matrix> all_known = DrawJointly(process, data.x, 50, 64);
  ASSERT_TRUE(all_known.ok()) << all_known.status();
  EXPECT_LE((all_known->colwise() - data.y).cwiseAbs().maxCoeff(), 1e-2);
}

TEST(Surrogate, DrawsNothingWhereNothingIsAskedFor) {
  const Believed believed = BelievedOfEachKind().front();
  const GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 3, 71));
  EXPECT_EQ(DrawJointly(process, PointMatrix(0, 3), 4, 1).value().rows(), 0);
  EXPECT_EQ(DrawJointly(process, RandomPoints(believed.kinds, 2, 72), 0, 1).value().cols(), 0);
}

}  // namespace
}  // namespace slipstream
