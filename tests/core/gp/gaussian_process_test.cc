#include "core/gp/gaussian_process.h"

#include <cmath>
#include <limits>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"
#include "tests/core/gp/stacked_priors.h"

namespace slipstream {
namespace {

TEST(GaussianProcess, PredictsWhatTheDenseComputationDoes) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    for (const Index count : {1, 2, 17, 60}) {
      const Observations data = RandomObservations(believed.kinds, count, 1);
      const GaussianProcess process = Fitted(believed.prior, data);
      PointMatrix x = RandomPoints(believed.kinds, 9, 2);
      x.row(0) = data.x.row(0);
      const LongPosterior expected =
          Conditioned(believed.belief, ToLongData(data), ToLongPoints(x));
      const Predictions predictions = process.Predict(x);
      EXPECT_LE(RelativeError(predictions.mean, expected.mean), 1e-11);
      EXPECT_LE(EntrywiseError(predictions.variance, expected.Variance()), 1e-11);
      EXPECT_LE(RelativeError(process.JointCovariance(x), expected.covariance), 1e-11);
      EXPECT_LE(
          RelativeError(LogLikelihoodOf(process), LogLikelihood(believed.belief, ToLongData(data))),
          1e-11);
      EXPECT_EQ(process.jitter(), 0);
      EXPECT_EQ(process.size(), count);
    }
  }
}

TEST(GaussianProcess, PredictsAPointWithTheGradientsOfTheDenseComputation) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const Observations data = RandomObservations(believed.kinds, 12, 11);
    const GaussianProcess process = Fitted(believed.prior, data);
    const PointMatrix x = RandomPoints(believed.kinds, 4, 12);
    const Predictions together = process.Predict(x);
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector point = x.row(i).transpose();
      const PointPrediction prediction = process.PredictPoint(point);
      EXPECT_NEAR(prediction.mean, together.mean[i], 1e-13);
      EXPECT_NEAR(prediction.variance, together.variance[i], 1e-13);
      const LongGradients expected = ConditionedGradients(believed.belief, ToLongData(data),
                                                          ToLongPoint(point), believed.kinds);
      EXPECT_LE(RelativeError(prediction.mean_gradient, expected.mean), 1e-9);
      EXPECT_LE(RelativeError(prediction.variance_gradient, expected.variance), 1e-9);
    }
  }
}

TEST(GaussianProcess, CovariesBetweenTwoSetsOfPointsAsTheDenseComputationDoes) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const Observations data = RandomObservations(believed.kinds, 12, 21);
    const GaussianProcess process = Fitted(believed.prior, data);
    const PointMatrix both = RandomPoints(believed.kinds, 8, 22);
    const LongMatrix expected =
        Conditioned(believed.belief, ToLongData(data), ToLongPoints(both)).covariance;
    const Matrix actual = process.CrossCovariance(both.topRows(3), both.bottomRows(5));
    const Matrix wanted = ToMatrix(expected).topRightCorner(3, 5);
    EXPECT_LE((actual - wanted).cwiseAbs().maxCoeff(), 1e-12 * wanted.cwiseAbs().maxCoeff());
  }
}

TEST(GaussianProcess, CovariancesHaveTheSlopesOfTheDenseComputation) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const LongData data = ToLongData(RandomObservations(believed.kinds, 10, 31));
    const GaussianProcess process =
        Fitted(believed.prior, RandomObservations(believed.kinds, 10, 31));
    const PointMatrix b = RandomPoints(believed.kinds, 4, 32);
    const Vector x = RandomPoints(believed.kinds, 1, 33).row(0).transpose();
    const Vector weights = RandomVector(4, -1, 1, 34);
    LongVector expected(static_cast<size_t>(x.size()), 2);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (believed.kinds[i] == CoordinateKind::kWord) continue;
      expected[i] += Derivative(
          [&](long double coordinate) {
            std::vector<LongPoint> points = ToLongPoints(b);
            points.push_back(ToLongPoint(x));
            points.back().x[i] = coordinate;
            const LongMatrix covariance = Conditioned(believed.belief, data, points).covariance;
            long double sum = 0;
            for (Index j = 0; j < 4; ++j) sum += weights[j] * covariance(4, j);
            return sum;
          },
          x[static_cast<Index>(i)]);
    }
    Vector gradient = Vector::Constant(x.size(), 2);  // To be added to.
    process.AddCovarianceGradient(x, b, weights, gradient);
    EXPECT_LE(RelativeError(gradient, expected), 1e-10);
  }
}

void ExpectTheSame(const GaussianProcess& a, const GaussianProcess& b, const PointMatrix& x) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_EQ(a.observations().x, b.observations().x);
  EXPECT_EQ(a.observations().y, b.observations().y);
  EXPECT_EQ(a.observations().noise_variance, b.observations().noise_variance);
  const Predictions there = a.Predict(x);
  const Predictions here = b.Predict(x);
  EXPECT_LE((there.mean - here.mean).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((there.variance - here.variance).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NEAR(LogLikelihoodOf(a), LogLikelihoodOf(b), 1e-10);
}

TEST(GaussianProcess, AppendingOneByOneGivesWhatFittingAllDoes) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const Observations data = RandomObservations(believed.kinds, 40, 61);
    const PointMatrix x = RandomPoints(believed.kinds, 5, 62);
    GaussianProcess grown = Fitted(believed.prior, FirstOf(data, 0));
    for (Index i = 0; i < 40; ++i) {
      ASSERT_TRUE(grown.Append(data.x.row(i).transpose(), data.y[i], data.noise_variance[i]).ok());
      if (i % 13 == 0) ExpectTheSame(grown, Fitted(believed.prior, FirstOf(data, i + 1)), x);
    }
    ExpectTheSame(grown, Fitted(believed.prior, data), x);
  }
}

TEST(GaussianProcess, AppendsADuplicateWithItsOwnNoise) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 6, 71);
  data.x.row(5) = data.x.row(2);
  GaussianProcess grown = Fitted(believed.prior, FirstOf(data, 5));
  ASSERT_TRUE(grown.Append(data.x.row(5).transpose(), data.y[5], data.noise_variance[5]).ok());
  const PointMatrix x = RandomPoints(believed.kinds, 5, 72);
  const LongPosterior expected = Conditioned(believed.belief, ToLongData(data), ToLongPoints(x));
  EXPECT_LE(RelativeError(grown.Predict(x).mean, expected.mean), 1e-10);
}

TEST(GaussianProcess, AppendsADuplicateWithoutNoiseByTakingJitter) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 5, 81);
  data.noise_variance.setZero();
  GaussianProcess process = Fitted(believed.prior, data);
  EXPECT_EQ(process.jitter(), 0);
  const PointMatrix x = RandomPoints(believed.kinds, 5, 82);
  const Predictions before = process.Predict(x);
  for (int copy = 0; copy < 5; ++copy) {
    ASSERT_TRUE(process.Append(data.x.row(3).transpose(), data.y[3], 0).ok());
  }
  EXPECT_EQ(process.size(), 10);
  EXPECT_GT(process.jitter(), 0);
  EXPECT_LE((process.Predict(x).mean - before.mean).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_TRUE((process.Predict(data.x).variance.array() > 0).all());
}

// Also where the factor cannot grow, and all is factorised anew.
TEST(GaussianProcess, AnAppendedObservationChangesWhatIsRemembered) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 5, 81);
  data.noise_variance.setZero();
  GaussianProcess process = Fitted(believed.prior, data);
  process.Remember(data.x);
  ASSERT_TRUE(process.Append(data.x.row(3).transpose(), data.y[3] + 1, 0).ok());
  EXPECT_GT(process.jitter(), 0);
  EXPECT_NEAR(process.Predict(data.x).mean[3], data.y[3] + 0.5, 1e-3);
}

TEST(GaussianProcess, AnAppendThatFailsChangesNothing) {
  const Believed believed = BelievedOfEachKind().front();
  const Observations data = RandomObservations(believed.kinds, 7, 91);
  const PointMatrix x = RandomPoints(believed.kinds, 3, 92);
  const GaussianProcess before = Fitted(believed.prior, data);
  GaussianProcess process = before;
  const Vector good = x.row(0).transpose();
  Vector bad = good;
  bad[0] = kNaN;
  EXPECT_TRUE(absl::IsFailedPrecondition(process.Append(good, kNaN, 0.1)));
  EXPECT_TRUE(absl::IsFailedPrecondition(process.Append(good, kInfinity, 0.1)));
  EXPECT_TRUE(absl::IsFailedPrecondition(process.Append(good, 1, kNaN)));
  EXPECT_TRUE(absl::IsFailedPrecondition(process.Append(good, 1, kInfinity)));
  EXPECT_TRUE(absl::IsFailedPrecondition(process.Append(bad, 1, 0.1)));
  EXPECT_TRUE(absl::IsFailedPrecondition(
      process.Append(data.x.row(0).transpose(), std::numeric_limits<double>::max(), 1e-9)));
  ExpectTheSame(process, before, x);
  ASSERT_TRUE(process.Append(good, 1, 0.1).ok());
  EXPECT_EQ(process.size(), 8);
  EXPECT_EQ(before.size(), 7);
}

TEST(GaussianProcess, RefusesObservationsThatAreNotFinite) {
  const Believed believed = BelievedOfEachKind().front();
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    Observations in_x = RandomObservations(believed.kinds, 4, 101);
    Observations in_y = in_x;
    Observations in_noise = in_x;
    in_x.x(3, 0) = bad;
    in_y.y[2] = bad;
    in_noise.noise_variance[0] = bad;
    for (const Observations& data : {in_x, in_y, in_noise}) {
      EXPECT_TRUE(absl::IsFailedPrecondition(GaussianProcess::Fit(believed.prior, data).status()));
    }
  }
}

TEST(GaussianProcess, RefusesACovarianceThatTheLadderCannotMend) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 4, 111);
  data.noise_variance.setConstant(-100);  // Not a covariance at all.
  EXPECT_TRUE(absl::IsFailedPrecondition(GaussianProcess::Fit(believed.prior, data).status()));
}

TEST(GaussianProcess, WithoutObservationsIsItsPrior) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const Observations none = FirstOf(RandomObservations(believed.kinds, 1, 1), 0);
    const GaussianProcess process = Fitted(believed.prior, none);
    const PointMatrix x = RandomPoints(believed.kinds, 4, 121);
    EXPECT_EQ(process.Predict(x).mean, believed.prior->Mean(x));
    EXPECT_EQ(process.Predict(x).variance, believed.prior->Variance(x));
    EXPECT_EQ(process.JointCovariance(x), believed.prior->Covariance(x, x));
    EXPECT_EQ(LogLikelihoodOf(process), 0);
    const PointPrediction point = process.PredictPoint(x.row(0).transpose());
    EXPECT_EQ(point.mean, believed.prior->Mean(x)[0]);
    EXPECT_TRUE(point.mean_gradient.allFinite());
  }
}

TEST(GaussianProcess, PredictsNowhereWithoutComplaint) {
  const Believed believed = BelievedOfEachKind().front();
  const GaussianProcess process =
      Fitted(believed.prior, RandomObservations(believed.kinds, 5, 131));
  const PointMatrix nowhere(0, believed.prior->dimension());
  EXPECT_EQ(process.Predict(nowhere).mean.size(), 0);
  EXPECT_EQ(process.JointCovariance(nowhere).size(), 0);
}

TEST(GaussianProcess, VariancesStayPositiveWhereAllIsKnown) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    for (const double noise : {0.0, 1e-300, 1e-14, 1e-6}) {
      Observations data = RandomObservations(believed.kinds, 50, 141);
      data.noise_variance.setConstant(noise);
      data.x.row(9) = data.x.row(4);
      data.y[9] = data.y[4];
      const GaussianProcess process = Fitted(believed.prior, data);
      const Predictions there = process.Predict(data.x);
      EXPECT_TRUE((there.variance.array() > 0).all()) << noise;
      EXPECT_TRUE(there.mean.allFinite()) << noise;
      for (Index i = 0; i < 10; ++i) {
        const PointPrediction point = process.PredictPoint(data.x.row(i).transpose());
        EXPECT_GT(point.variance, 0) << noise;
        EXPECT_TRUE(point.variance_gradient.allFinite()) << noise;
      }
    }
  }
}

TEST(GaussianProcess, AbsorbingIsFantasizingButForRounding) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 30, 51));
    const PointMatrix pending = RandomPoints(believed.kinds, 20, 52);
    const PointMatrix x = RandomPoints(believed.kinds, 9, 53);
    const Vector mean = process.Predict(x).mean;
    const absl::StatusOr<std::unique_ptr<Surrogate>> fantasy = process.Fantasize(pending);
    ASSERT_TRUE(fantasy.ok()) << fantasy.status();
    const absl::StatusOr<bool> absorbed = process.Absorb(pending);
    ASSERT_TRUE(absorbed.ok()) << absorbed.status();
    EXPECT_TRUE(*absorbed);
    EXPECT_EQ(process.size(), 50);
    const Predictions expected = (*fantasy)->Predict(x);
    const Predictions predictions = process.Predict(x);
    EXPECT_LE((predictions.mean - mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE((predictions.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LE((predictions.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-6);
    // It takes further results as before.
    EXPECT_TRUE(process.Append(x.row(0).transpose(), 1, 0.01).ok());
  }
}

TEST(GaussianProcess, AbsorbsTheSamePointManyTimes) {
  const Believed believed = BelievedOfEachKind().front();
  GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 6, 61));
  const PointMatrix point = RandomPoints(believed.kinds, 1, 62);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(process.Absorb(point.replicate(3, 1)).ok());
  EXPECT_EQ(process.size(), 66);
  EXPECT_TRUE(process.Predict(point).mean.allFinite());
  EXPECT_GT(process.Predict(point).variance[0], 0);
  const PointMatrix nowhere = PointMatrix::Constant(1, point.cols(), std::nan(""));
  EXPECT_EQ(process.Absorb(nowhere).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(process.size(), 66);
}

TEST(GaussianProcess, TheMeanAloneIsTheMeanOfAPrediction) {
  for (const Believed& believed : BelievedOfEachKind()) {
    const GaussianProcess process =
        Fitted(believed.prior, RandomObservations(believed.kinds, 20, 71));
    const PointMatrix x = RandomPoints(believed.kinds, 300, 72);
    EXPECT_EQ(process.PredictMean(x), process.Predict(x).mean) << believed.name;
  }
}

}  // namespace
}  // namespace slipstream
