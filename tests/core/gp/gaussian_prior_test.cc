#include "core/gp/gaussian_prior.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"
#include "tests/core/gp/stacked_priors.h"

namespace slipstream {
namespace {

constexpr int kTop = Stack::kTop;

LongPosterior Exact(const Stack& stack, const PointMatrix& x) {
  return Conditioned(stack.belief, stack.data, ToLongPoints(x, kTop));
}

TEST(GaussianPrior, AKernelAroundAMeanIsWhatTheDefinitionSays) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    const PointMatrix x = RandomPoints(believed.kinds, 6, 1);
    const LongPosterior expected = Conditioned(believed.belief, {}, ToLongPoints(x));
    EXPECT_LE(RelativeError(believed.prior->Mean(x), expected.mean), 1e-14);
    EXPECT_LE(RelativeError(believed.prior->Covariance(x, x), expected.covariance), 1e-13);
    EXPECT_LE(RelativeError(believed.prior->Variance(x), expected.Variance()), 1e-14);
  }
}

TEST(GaussianPrior, AKernelAroundAMeanHasNoSlopeButThatOfItsCovariance) {
  const KernelRecipe recipe =
      StationaryRecipe(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach);
  const Believed believed = BelievedOf(recipe, 3, 11);
  const PointMatrix b = RandomPoints(recipe.kinds, 5, 12);
  const Vector x = RandomVector(2, 0, 1, 13);
  const Vector weights = RandomVector(5, -1, 1, 14);
  Vector gradient = Vector::Ones(2);
  believed.prior->AddMeanGradient(x, 7, gradient);
  believed.prior->AddVarianceGradient(x, 7, gradient);
  EXPECT_EQ(gradient, Vector::Ones(2));
  Vector expected = Vector::Ones(2);
  recipe.make()->AddPointGradient(RandomVector(3, -1.2, 0.3, 11), x, b, weights, expected);
  believed.prior->AddCovarianceGradient(x, b, weights, gradient);
  EXPECT_EQ(gradient, expected);
}

// Two levels of PosteriorPrior and SumPrior against one joint Gaussian over the
// observations of all three tasks.
TEST(GaussianPrior, AStackOfPosteriorsIsTheExactJointModel) {
  const Stack stack = FittedStack();
  const PointMatrix x = RandomPoints(stack.kinds, 12, 21);
  const LongPosterior expected = Exact(stack, x);
  const Predictions actual = stack.top->Predict(x);
  EXPECT_LE(RelativeError(actual.mean, expected.mean), 1e-10);
  EXPECT_LE(EntrywiseError(actual.variance, expected.Variance()), 1e-9);
  EXPECT_LE(RelativeError(stack.top->JointCovariance(x), expected.covariance), 1e-10);
}

TEST(GaussianPrior, TheLikelihoodOfAStacksTopIsThatOfItsDataGivenTheRest) {
  const Stack stack = FittedStack();
  const size_t others = stack.data.size() - static_cast<size_t>(stack.top->size());
  const long double expected = LogLikelihood(stack.belief, stack.data) -
                               LogLikelihood(stack.belief, Part(stack.data, 0, others));
  EXPECT_LE(RelativeError(LogLikelihoodOf(*stack.top), expected), 1e-10);
}

TEST(GaussianPrior, AStackHasTheSlopesOfTheExactJointModel) {
  const Stack stack = FittedStack();
  const PointMatrix x = RandomPoints(stack.kinds, 3, 31);
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector point = x.row(i).transpose();
    const LongGradients expected =
        ConditionedGradients(stack.belief, stack.data, ToLongPoint(point, kTop), stack.kinds);
    const PointPrediction actual = stack.top->PredictPoint(point);
    EXPECT_NEAR(actual.mean, stack.top->Predict(x).mean[i], 1e-12);
    EXPECT_NEAR(actual.variance, stack.top->Predict(x).variance[i], 1e-12);
    EXPECT_LE(RelativeError(actual.mean_gradient, expected.mean), 1e-9);
    EXPECT_LE(RelativeError(actual.variance_gradient, expected.variance), 1e-9);
  }
}

TEST(GaussianPrior, APosteriorAsAPriorIsThatPosterior) {
  const Stack stack = FittedStack();
  const PosteriorPrior prior(stack.top);
  const PointMatrix x = RandomPoints(stack.kinds, 7, 41);
  const Predictions predictions = stack.top->Predict(x);
  EXPECT_EQ(prior.dimension(), stack.top->dimension());
  EXPECT_LE((prior.Mean(x) - predictions.mean).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE((prior.Variance(x) - predictions.variance).cwiseAbs().maxCoeff(), 1e-13);
  const PointMatrix a = x.topRows(3);
  const Matrix cross = stack.top->CrossCovariance(a, x);
  EXPECT_LE((prior.Covariance(a, x) - cross).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(GaussianPrior, APosteriorAsAPriorHasThatPosteriorsSlopes) {
  const Stack stack = FittedStack();
  const PosteriorPrior prior(stack.top);
  const Vector x = RandomPoints(stack.kinds, 1, 51).row(0).transpose();
  const PointPrediction point = stack.top->PredictPoint(x);
  Vector gradient = Vector::Ones(x.size());
  prior.AddMeanGradient(x, -2, gradient);
  prior.AddVarianceGradient(x, 3, gradient);
  const Vector expected =
      Vector::Ones(x.size()) - 2 * point.mean_gradient + 3 * point.variance_gradient;
  EXPECT_LE((gradient - expected).cwiseAbs().maxCoeff(), 1e-12);
  const PointMatrix b = RandomPoints(stack.kinds, 4, 52);
  const Vector weights = RandomVector(4, -1, 1, 53);
  Vector through_prior = Vector::Zero(x.size());
  Vector through_process = Vector::Zero(x.size());
  prior.AddCovarianceGradient(x, b, weights, through_prior);
  stack.top->AddCovarianceGradient(x, b, weights, through_process);
  EXPECT_EQ(through_prior, through_process);
  EXPECT_EQ(through_prior[1], 0);  // A word.
}

TEST(GaussianPrior, VariancesAreNeverNegativeWhereASourceKnowsAll) {
  const Believed believed = BelievedOfEachKind().front();
  Observations data = RandomObservations(believed.kinds, 40, 61);
  data.noise_variance.setConstant(1e-8);
  const auto source = std::make_shared<GaussianProcess>(Fitted(believed.prior, data));
  const auto prior = std::make_shared<PosteriorPrior>(source);
  EXPECT_GE(prior->Variance(data.x).minCoeff(), 0);
  // Nothing is left to learn there, and learning it again does no harm.
  const GaussianProcess again = Fitted(prior, FirstOf(data, 10));
  const Predictions predictions = again.Predict(data.x);
  EXPECT_TRUE(predictions.mean.allFinite());
  EXPECT_GT(predictions.variance.minCoeff(), 0);
  EXPECT_LE((predictions.mean - data.y).cwiseAbs().maxCoeff(), 1e-3);
}

}  // namespace
}  // namespace slipstream
