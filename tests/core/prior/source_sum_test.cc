#include "core/prior/source_sum.h"

#include <cmath>
#include <memory>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

SourceSumOptions DeltaOptions() {
  SourceSumOptions options;
  options.errors = SourceErrors::kIndependent;
  options.amplitude = 0.2;
  return options;
}

SourceSumOptions ScamlOptions() {
  SourceSumOptions options;
  options.weights = WeightLearning::kAlways;
  return options;
}

std::unique_ptr<Transfer> Combined(const SourceSumOptions& options, const Situation& situation) {
  return MakeSourceSum(options)->Combine(situation.input()).value();
}

// K + diag(s_j), solved; of DeltaBO's equation 6 with the noise it is given.
struct NaiveDelta {
  NaiveDelta(const SourceModel& source, const TrainingData& target, const Kernel& kernel,
             const Hyperparameters& own, const PointMatrix& at, const Vector& noise)
      : source_at(source.process->Predict(at)) {
    Matrix k = kernel.Covariance(own.kernel, target.x, target.x);
    k.diagonal() += noise;
    const Matrix cross = kernel.Covariance(own.kernel, target.x, at);
    const Matrix solved = DenseSolve(k, cross);
    Vector residual = target.y - source.process->Predict(target.x).mean;
    residual.array() -= own.mean;
    mean = source_at.mean + solved.transpose() * residual;
    mean.array() += own.mean;
    variance = source_at.variance.array() + kernel.Variance(own.kernel) -
               cross.cwiseProduct(solved).colwise().sum().transpose().array();
  }

  Predictions source_at;
  Vector mean;
  Vector variance;
};

TEST(Delta, IsAlgorithm1WithTheNoiseOfEachResult) {
  const auto source = SourceOf("a", Wave, 2, 12, 1);
  const Situation situation({source}, Sampled(Wave, 2, 7, 2));
  const auto transfer = Combined(DeltaOptions(), situation);
  const Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  const PointMatrix at = RandomPoints(situation.kinds, 20, 3);
  const Vector noise = source->process->Predict(situation.target.x).variance.array() + kLittleNoise;
  const NaiveDelta naive(*source, situation.target, *transfer->model().kernel, own, at, noise);
  const auto surrogate = transfer->Fit(own).value();
  const Predictions actual = surrogate->Predict(at);
  EXPECT_LT((actual.mean - naive.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((actual.variance - naive.variance).cwiseAbs().maxCoeff(), 1e-9);
  ExpectConsistent(*surrogate, at);
}

TEST(Delta, AsPrintedTakesTheSourcesVarianceWhereItPredicts) {
  const auto source = SourceOf("a", Wave, 2, 5, 1);
  const Situation situation({source}, Sampled(Wave, 2, 7, 2));
  SourceSumOptions options = DeltaOptions();
  options.noise = DifferenceNoise::kAsPrinted;
  const auto transfer = Combined(options, situation);
  const Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  const auto surrogate = transfer->Fit(own).value();
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  const Predictions actual = surrogate->Predict(at);
  for (Index i = 0; i < at.rows(); ++i) {
    const PointMatrix point = at.row(i);
    const Vector noise =
        Vector::Constant(7, source->process->Predict(point).variance[0] + kLittleNoise);
    const NaiveDelta naive(*source, situation.target, *transfer->model().kernel, own, point, noise);
    EXPECT_NEAR(actual.mean[i], naive.mean[0], 1e-9);
    EXPECT_NEAR(actual.variance[i], naive.variance[0], 1e-9);
    const Vector x = at.row(i).transpose();
    const PointPrediction there = surrogate->PredictPoint(x);
    EXPECT_NEAR(there.mean, naive.mean[0], 1e-9);
    for (Index k = 0; k < 2; ++k) {
      PointMatrix near(2, 2);
      near << x.transpose(), x.transpose();
      near(0, k) += 1e-5;
      near(1, k) -= 1e-5;
      const Predictions moved = surrogate->Predict(near);
      EXPECT_NEAR(there.mean_gradient[k], (moved.mean[0] - moved.mean[1]) / 2e-5, 1e-5);
      EXPECT_NEAR(there.variance_gradient[k], (moved.variance[0] - moved.variance[1]) / 2e-5, 1e-5);
    }
  }
}

TEST(Delta, AsPrintedTheDifferenceBeginsWithTheVarianceOfAResult) {
  const auto source = SourceOf("a", Wave, 2, 5, 1);
  const Situation situation({source}, Sampled(Wave, 2, 0, 2));
  SourceSumOptions options = DeltaOptions();
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  const Predictions of_source = source->process->Predict(at);
  for (const DifferenceNoise noise : {DifferenceNoise::kAsPrinted, DifferenceNoise::kPerResult}) {
    options.noise = noise;
    const auto transfer = Combined(options, situation);
    const auto surrogate = transfer->Fit(AtLocation(*transfer, kLittleNoise)).value();
    const Predictions actual = surrogate->Predict(at);
    EXPECT_LT((actual.mean - of_source.mean).cwiseAbs().maxCoeff(), 1e-12);
    const Vector expected = noise == DifferenceNoise::kAsPrinted
                                ? Vector(2 * of_source.variance.array() + kLittleNoise)
                                : Vector(of_source.variance.array() + 0.2 * 0.2);
    EXPECT_LT((actual.variance - expected).cwiseAbs().maxCoeff(), 1e-12);
    const double times = noise == DifferenceNoise::kAsPrinted ? 2 : 1;
    for (Index i = 0; i < at.rows(); ++i) {
      const Vector x = at.row(i).transpose();
      const PointPrediction there = surrogate->PredictPoint(x);
      const PointPrediction known = source->process->PredictPoint(x);
      EXPECT_NEAR(there.variance, expected[i], 1e-12);
      EXPECT_LT((there.mean_gradient - known.mean_gradient).norm(), 1e-9);
      EXPECT_LT((there.variance_gradient - times * known.variance_gradient).norm(), 1e-9);
    }
  }
}

// What tells the two apart: few source points, and two results at one place.
// DeltaBO's mean stays away from the results, the exact one goes there.
TEST(Stacked, InterpolatesResultsWhereDeltaCannot) {
  const auto source = SourceOf("a", Wave, 1, 3, 1);
  TrainingData target{PointMatrix::Constant(2, 1, 0.5), Vector::Constant(2, 1.5), Vector::Ones(2)};
  const Situation situation({source}, target);
  SourceSumOptions exact = DeltaOptions();
  exact.errors = SourceErrors::kCorrelated;
  const auto stacked = Combined(exact, situation);
  const auto delta = Combined(DeltaOptions(), situation);
  const PointMatrix there = target.x.topRows(1);
  const Predictions by_stacked = stacked->Fit(AtLocation(*stacked, 1e-4)).value()->Predict(there);
  const Predictions by_delta = delta->Fit(AtLocation(*delta, 1e-4)).value()->Predict(there);
  EXPECT_NEAR(by_stacked.mean[0], 1.5, 0.01);
  EXPECT_LT(by_stacked.variance[0], 1e-3);
  EXPECT_GT(by_delta.variance[0], 10 * by_stacked.variance[0]);
  EXPECT_GT(std::abs(by_delta.mean[0] - 1.5), 10 * std::abs(by_stacked.mean[0] - 1.5));
}

TEST(Scaml, WithWeightOneIsStackedAndWithWeightNoneNoTransfer) {
  const auto source = SourceOf("a", Wave, 2, 15, 1);
  const Situation situation({source}, Sampled(Bowl, 2, 8, 2));
  const auto scaml = Combined(ScamlOptions(), situation);
  const auto stacked = Combined(SourceSumOptions(), situation);
  const PointMatrix at = RandomPoints(situation.kinds, 25, 3);
  Hyperparameters one = AtLocation(*scaml, kLittleNoise);
  one.weights[0] = 1;
  const Predictions a = scaml->Fit(one).value()->Predict(at);
  const Predictions b = stacked->Fit(AtLocation(*stacked, kLittleNoise)).value()->Predict(at);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  Hyperparameters none = one;
  none.weights[0] = 0;
  const Predictions c = scaml->Fit(none).value()->Predict(at);
  const auto alone = FitProcess(scaml->model().kernel, situation.target,
                                {none.kernel, none.log_noise_variance, none.mean})
                         .value();
  EXPECT_LT((c.mean - alone.Predict(at).mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((c.variance - alone.Predict(at).variance).cwiseAbs().maxCoeff(), 1e-10);
}

// What the calibration sees is the likelihood of what Fit builds.
TEST(SourceSum, ItsLikelihoodIsThatOfTheDenseModel) {
  const auto a = SourceOf("a", Wave, 2, 15, 1);
  const auto b = SourceOf("b", Bowl, 2, 10, 4);
  const Situation situation({a, b}, Sampled(Wave, 2, 9, 2));
  const auto transfer = Combined(ScamlOptions(), situation);
  Hyperparameters own = AtLocation(*transfer, kLittleNoise);
  own.weights = Vector{{0.8, 0.3}};
  const TrainingData& target = situation.target;
  Matrix k = transfer->model().kernel->Covariance(own.kernel, target.x, target.x) +
             0.64 * a->process->CrossCovariance(target.x, target.x) +
             0.09 * b->process->CrossCovariance(target.x, target.x);
  k.diagonal().array() += kLittleNoise;
  Vector residual = target.y - 0.8 * a->process->Predict(target.x).mean -
                    0.3 * b->process->Predict(target.x).mean;
  residual.array() -= own.mean;
  const double expected = -0.5 * residual.dot(DenseSolve(k, residual)) -
                          0.5 * DenseLogDeterminant(k) - 4.5 * std::log(2 * M_PI);
  const auto actual = LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own);
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_NEAR(actual->value, expected, 1e-8);
}

// Negating the results and swapping a source with its opposite must negate what is predicted.
TEST(SourceSum, ASourcesOppositeIsASourceToo) {
  const SourceModels sources = {SourceOf("a", Wave, 2, 15, 1), SourceOf("b", Bowl, 2, 10, 4)};
  const TrainingData target = Sampled(Bowl, 2, 9, 2);
  TrainingData opposite = target;
  opposite.y *= -1;
  SourceSumOptions options = ScamlOptions();
  const auto plain = Combined(options, Situation(sources, opposite));
  options.signs = WeightSigns::kEither;
  const auto either = Combined(options, Situation(sources, target));

  Hyperparameters with_sources = AtLocation(*plain, kLittleNoise);
  with_sources.weights = Vector{{0.8, 0.3}};
  with_sources.mean = 0.2;
  Hyperparameters with_opposites = AtLocation(*either, kLittleNoise);
  with_opposites.weights = Vector{{0, 0, 0.8, 0.3}};
  with_opposites.mean = -0.2;
  const auto likelihood = [](const Transfer& transfer, const Hyperparameters& own) {
    return LogMarginalLikelihood(*transfer.model().kernel, transfer.data(), own)->value;
  };
  EXPECT_NEAR(likelihood(*either, with_opposites), likelihood(*plain, with_sources), 1e-10);

  const PointMatrix at = RandomPoints(Situation(sources, target).kinds, 25, 3);
  const auto surrogate = either->Fit(with_opposites).value();
  const Predictions actual = surrogate->Predict(at);
  const Predictions expected = plain->Fit(with_sources).value()->Predict(at);
  EXPECT_LT((actual.mean + expected.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((actual.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-10);
  ExpectConsistent(*surrogate, at);
  EXPECT_EQ(either->Shares(with_opposites), plain->Shares(with_sources));
}

TEST(SourceSum, ASourceCountsByTheDifferenceOfItsTwoWeights) {
  const Situation situation({SourceOf("a", Wave, 2, 15, 1)}, Sampled(Wave, 2, 9, 2));
  SourceSumOptions options = ScamlOptions();
  const auto plain = Combined(options, situation);
  options.signs = WeightSigns::kEither;
  const auto either = Combined(options, situation);
  Hyperparameters one = AtLocation(*plain, kLittleNoise);
  Hyperparameters two = AtLocation(*either, kLittleNoise);
  one.weights = Vector{{0.5}};
  two.weights = Vector{{0.75, 0.25}};
  const PointMatrix at = RandomPoints(situation.kinds, 25, 3);
  EXPECT_EQ(either->Fit(two).value()->Predict(at).mean, plain->Fit(one).value()->Predict(at).mean);
  EXPECT_EQ(either->Remarks(two).size(), plain->Remarks(one).size());
}

TEST(SourceSum, OfManySourcesTheBestRankersHaveTheSay) {
  SourceModels sources;
  for (uint64_t i = 0; i < 100; ++i) {
    const auto against = [](const Vector& x) { return -Wave(x); };
    sources.push_back(i % 20 == 3 ? SourceOf("good", Wave, 2, 20, i + 1)
                                  : SourceOf("bad", against, 2, 20, i + 1));
  }
  const Situation situation(sources, Sampled(Wave, 2, 10, 2));
  SourceSumOptions options = ScamlOptions();
  options.most_sources = 5;
  const auto transfer = Combined(options, situation);
  ASSERT_EQ(transfer->data().terms.size(), 5U);
  const Vector shares = transfer->Shares(AtLocation(*transfer, kLittleNoise));
  ASSERT_EQ(shares.size(), 100);
  EXPECT_LE(shares.sum(), 1 + 1e-12);
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(shares[i] > 0, i % 20 == 3) << i;
}

TEST(SourceSum, BesideManyResultsFewerSourcesHaveMatrices) {
  SourceModels sources;
  for (uint64_t i = 0; i < 40; ++i) sources.push_back(SourceOf("s", Wave, 2, 3, i + 1));
  SourceSumOptions options = ScamlOptions();
  options.most_sources = 1000;
  const Situation few(sources, Sampled(Wave, 2, 100, 2));
  EXPECT_EQ(Combined(options, few)->data().terms.size(), 40U);
  const Situation many(sources, Sampled(Wave, 2, 1000, 2));
  EXPECT_EQ(Combined(options, many)->data().terms.size(), 33U);
  options.signs = WeightSigns::kEither;
  EXPECT_EQ(Combined(options, many)->data().terms.size(), 32U);
}

TEST(SourceSum, KnowsWhatItsSourcesKnowBeforeTheFirstResult) {
  const auto source = SourceOf("a", Wave, 2, 30, 1);
  const Situation situation({source}, Sampled(Wave, 2, 0, 2));
  for (const SourceSumOptions& options : {DeltaOptions(), SourceSumOptions()}) {
    const auto transfer = Combined(options, situation);
    const auto surrogate = transfer->Fit(AtLocation(*transfer, kLittleNoise)).value();
    const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
    EXPECT_LT(
        (surrogate->Predict(at).mean - source->process->Predict(at).mean).cwiseAbs().maxCoeff(),
        1e-9);
    ExpectConsistent(*surrogate, at);
  }
}

TEST(SourceSum, LivesWithLittleAndWithDegenerateData) {
  for (const SourceSumOptions& options : {DeltaOptions(), SourceSumOptions(), ScamlOptions()}) {
    ExpectLivesWithLittle(*MakeSourceSum(options));
  }
}

}  // namespace
}  // namespace slipstream
