#include "core/prior/blocks/added_process.h"

#include <memory>

#include "core/gp/gaussian_prior.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/gp/stacked_priors.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// The same model put together from priors that know nothing of expansions.
GaussianProcess Stacked(const SourceModel& source, const OwnPart& own,
                        const Observations& observations) {
  auto prior = std::make_shared<SumPrior>(
      std::make_shared<PosteriorPrior>(source.process),
      std::make_shared<KernelPrior>(own.kernel, own.parameters, own.mean));
  return GaussianProcess::Fit(std::move(prior), observations).value();
}

TEST(AddedProcess, WithOneTermOfFactorOneIsTheStackOfPriors) {
  for (const Index results : {0, 1, 12}) {
    const auto source = SourceOf("a", Wave, 2, 25, 1);
    const OwnPart own = OwnOf(2);
    const Observations observations = ObservationsOf(Bowl, 2, results);
    const auto added =
        FitAddedProcess({{source->expansion}}, own, SourceErrors::kCorrelated, observations);
    ASSERT_TRUE(added.ok()) << added.status();
    const GaussianProcess stacked = Stacked(*source, own, observations);
    const PointMatrix at = RandomPoints(Numbers(2), 300, 41);
    const Predictions actual = (*added)->Predict(at);
    const Predictions expected = stacked.Predict(at);
    EXPECT_LT((actual.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((actual.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT(((*added)->JointCovariance(at) - stacked.JointCovariance(at)).cwiseAbs().maxCoeff(),
              1e-9);
  }
}

// By the textbook's formulas over all terms at once.
TEST(AddedProcess, WithSeveralTermsIsTheDenseRegression) {
  const auto first = SourceOf("a", Wave, 2, 20, 1);
  const auto second = SourceOf("b", Bowl, 2, 30, 2);
  const std::vector<AddedTerm> terms = {{first->expansion, 0.7, 0.49},
                                        {second->expansion, 0.2, 0.3}};
  const OwnPart own = OwnOf(2);
  const Observations observations = ObservationsOf(Wave, 2, 10);
  const PointMatrix at = RandomPoints(Numbers(2), 15, 42);
  const auto added = FitAddedProcess(terms, own, SourceErrors::kCorrelated, observations).value();

  const auto mean = [&](const PointMatrix& x) {
    Vector sum = 0.7 * first->process->Predict(x).mean + 0.2 * second->process->Predict(x).mean;
    sum.array() += own.mean;
    return sum;
  };
  const auto covariance = [&](const PointMatrix& a, const PointMatrix& b) {
    return Matrix(0.49 * first->process->CrossCovariance(a, b) +
                  0.3 * second->process->CrossCovariance(a, b) +
                  own.kernel->Covariance(own.parameters, a, b));
  };
  Matrix k = covariance(observations.x, observations.x);
  k.diagonal() += observations.noise_variance;
  const Matrix cross = covariance(observations.x, at);
  const Matrix solved = DenseSolve(k, cross);
  const Vector expected_mean =
      mean(at) + solved.transpose() * (observations.y - mean(observations.x));
  const Matrix expected_covariance = covariance(at, at) - cross.transpose() * solved;
  EXPECT_LT((added->Predict(at).mean - expected_mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((added->Covariance(at, at) - expected_covariance).cwiseAbs().maxCoeff(), 1e-9);
  ExpectConsistent(*added, at);
}

TEST(AddedProcess, WithIndependentErrorsTakesThemForNoiseOfEachResult) {
  const auto source = SourceOf("a", Wave, 2, 6, 1);
  const OwnPart own = OwnOf(2);
  const Observations observations = ObservationsOf(Wave, 2, 9);
  const auto added =
      FitAddedProcess({{source->expansion}}, own, SourceErrors::kIndependent, observations).value();
  const PointMatrix at = RandomPoints(Numbers(2), 10, 43);
  const Predictions before = source->process->Predict(observations.x);
  Matrix k = own.kernel->Covariance(own.parameters, observations.x, observations.x);
  k.diagonal() += observations.noise_variance + before.variance;
  const Matrix cross = own.kernel->Covariance(own.parameters, observations.x, at);
  const Matrix solved = DenseSolve(k, cross);
  Vector residual = observations.y - before.mean;
  residual.array() -= own.mean;
  const Predictions source_there = source->process->Predict(at);
  Vector mean = source_there.mean + solved.transpose() * residual;
  mean.array() += own.mean;
  const Vector variance = source_there.variance.array() + 0.25 -
                          cross.cwiseProduct(solved).colwise().sum().transpose().array();
  EXPECT_LT((added->Predict(at).mean - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((added->Predict(at).variance - variance).cwiseAbs().maxCoeff(), 1e-9);
  ExpectConsistent(*added, at);
}

TEST(AddedProcess, PendingPointsShrinkTheVarianceAndLeaveTheMean) {
  const auto source = SourceOf("a", Wave, 2, 20, 1);
  const OwnPart own = OwnOf(2);
  const Observations observations = ObservationsOf(Bowl, 2, 8);
  const auto added =
      FitAddedProcess({{source->expansion}}, own, SourceErrors::kCorrelated, observations).value();
  const GaussianProcess stacked = Stacked(*source, own, observations);
  const PointMatrix at = RandomPoints(Numbers(2), 30, 44);
  const PointMatrix pending = RandomPoints(Numbers(2), 4, 45);
  // One after the other and all at once are the same.
  std::unique_ptr<Surrogate> fantasy = added->Fantasize(pending.topRows(1)).value();
  fantasy = fantasy->Fantasize(pending.bottomRows(3)).value();
  const auto expected = stacked.Fantasize(pending).value();
  EXPECT_LT((fantasy->Predict(at).mean - added->Predict(at).mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((fantasy->Predict(at).variance - expected->Predict(at).variance).cwiseAbs().maxCoeff(),
            1e-5);
  EXPECT_LT(fantasy->Predict(pending).variance.maxCoeff(), 1e-4);
  ExpectConsistent(*fantasy, at);
}

// Whether `ask` adds to what the source's cache holds.
template <typename Ask>
bool Grows(const SourceModel& source, const Ask& ask) {
  const size_t before = source.cache->bytes();
  ask();
  return source.cache->bytes() > before;
}

TEST(AddedProcess, CachesLargeBatchesResultsAndPendingPointsAlone) {
  const auto source = SourceOf("a", Wave, 2, 20, 1);
  const Observations observations = ObservationsOf(Bowl, 2, 8);
  const auto added = FitAddedProcess({{source->expansion, 1, 1, source->cache}}, OwnOf(2),
                                     SourceErrors::kCorrelated, observations)
                         .value();
  const PointMatrix at = RandomPoints(Numbers(2), 60, 46);
  const PointMatrix pending = RandomPoints(Numbers(2), 2, 47);
  const auto fantasy = added->Fantasize(pending).value();
  source->cache->Clear();
  JointPredictions joint;
  Predictions first;
  Predictions again;
  EXPECT_FALSE(Grows(*source, [&] { joint = added->PredictJointly(at); }));
  EXPECT_FALSE(Grows(*source, [&] { added->PredictPoint(at.row(0).transpose()); }));
  EXPECT_FALSE(Grows(*source, [&] { added->Predict(at.topRows(27)); }));
  EXPECT_TRUE(Grows(*source, [&] { added->Predict(observations.x); }));
  EXPECT_TRUE(Grows(*source, [&] { fantasy->Predict(pending); }));
  EXPECT_TRUE(Grows(*source, [&] { first = added->Predict(at); }));
  EXPECT_FALSE(Grows(*source, [&] { again = added->Predict(at); }));
  EXPECT_EQ(again.mean, first.mean);
  EXPECT_EQ(again.variance, first.variance);
  EXPECT_LT((joint.at_points.mean - first.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((joint.at_points.variance - first.variance).cwiseAbs().maxCoeff(), 1e-9);
}

// Pending points absorbed one after the other, in comparison with a surrogate that takes them all
// in by their joint covariance.
TEST(AddedProcess, AbsorbingIsFantasizingButForRoundingAlsoAtRememberedPoints) {
  const auto first = SourceOf("a", Wave, 2, 20, 1);
  const auto second = SourceOf("b", Bowl, 2, 30, 2);
  for (const Index results : {0, 12}) {
    const std::vector<AddedTerm> terms = {{first->expansion, 0.7, 0.49, first->cache},
                                          {second->expansion, 0.4, 0.16, second->cache},
                                          {second->expansion, 0.1, 0, second->cache}};
    auto added = FitAddedProcess(terms, OwnOf(2), SourceErrors::kCorrelated,
                                 ObservationsOf(Bowl, 2, results));
    ASSERT_TRUE(added.ok()) << added.status();
    const PointMatrix screen = RandomPoints(Numbers(2), 60, 41);
    const PointMatrix pending = RandomPoints(Numbers(2), 9, 42);
    const auto fantasy = (*added)->Fantasize(pending);
    ASSERT_TRUE(fantasy.ok()) << fantasy.status();
    (*added)->Remember(screen);
    for (Index i = 0; i < pending.rows(); ++i) {
      const absl::StatusOr<bool> absorbed = (*added)->Absorb(pending.row(i));
      ASSERT_TRUE(absorbed.ok()) << absorbed.status();
      EXPECT_TRUE(*absorbed);
    }
    const Predictions expected = (*fantasy)->Predict(screen);
    const Predictions remembered = (*added)->Predict(screen);
    EXPECT_LT((remembered.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((remembered.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-4);
    for (Index i = 0; i < 5; ++i) {
      const PointPrediction there = (*added)->PredictPoint(screen.row(i).transpose());
      EXPECT_NEAR(there.mean, remembered.mean[i], 1e-8);
      EXPECT_NEAR(there.variance, remembered.variance[i], 1e-8);
    }
    EXPECT_LT((*added)->Predict(pending).variance.maxCoeff(), 1e-4);
  }
}

TEST(AddedProcess, AbsorbsNothingWhereErrorsAreIndependentOrNothingIsCached) {
  const auto source = SourceOf("a", Wave, 2, 20, 1);
  const PointMatrix pending = RandomPoints(Numbers(2), 3, 42);
  auto independent = FitAddedProcess({{source->expansion, 1, 1, source->cache}}, OwnOf(2),
                                     SourceErrors::kIndependent, ObservationsOf(Bowl, 2, 8));
  auto uncached = FitAddedProcess({{source->expansion}}, OwnOf(2), SourceErrors::kCorrelated,
                                  ObservationsOf(Bowl, 2, 8));
  for (const auto& added : {independent->get(), uncached->get()}) {
    const Vector before = added->Predict(pending).variance;
    const absl::StatusOr<bool> absorbed = added->Absorb(pending);
    ASSERT_TRUE(absorbed.ok());
    EXPECT_FALSE(*absorbed);
    EXPECT_EQ(added->Predict(pending).variance, before);
  }
}

}  // namespace
}  // namespace slipstream
