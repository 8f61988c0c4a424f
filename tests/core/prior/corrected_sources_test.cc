#include "core/prior/corrected_sources.h"

#include <cmath>
#include <memory>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

std::unique_ptr<Transfer> Combined(const CorrectedOptions& options, const PriorInput& input) {
  return MakeCorrectedSources(options)->Combine(input).value();
}

Predictions Believed(const CorrectedOptions& options, const Situation& situation) {
  const auto transfer = Combined(options, situation.input());
  return transfer->Fit(AtLocation(*transfer, kNoise)).value()->Predict(situation.places);
}

// A source's data corrected as the method tells, one step after the other.
struct NaiveCorrected {
  NaiveCorrected(const TrainingData& source, const TrainingData& target, const NaiveCovariance& k,
                 double noise_of_results, bool inflate) {
    const auto own = [](const Vector& a, const Vector& b) {
      return NaiveMatern52(a, b, Vector::Constant(a.size(), 0.4));
    };
    const Vector at_results =
        NaiveRegression(own, source.x, source.y, Vector::Constant(source.y.size(), kSourceNoise),
                        target.x)
            .mean;
    const NaivePosterior difference =
        NaiveRegression(k, target.x, target.y - at_results,
                        Vector::Constant(target.y.size(), noise_of_results), source.x);
    y = source.y + difference.mean;
    noise = Vector::Constant(y.size(), kSourceNoise);
    if (inflate) noise += difference.covariance.diagonal();
  }

  Vector y;
  Vector noise;
};

TEST(Corrected, IsTheAlgorithmWrittenOut) {
  const auto a = SourceOf("a", Wave, 2, 12, 1);
  const auto b = SourceOf("b", Bowl, 2, 9, 4);
  const Situation situation({a, b}, Sampled(Wave, 2, 7, 2));
  const TrainingData& target = situation.target;
  for (const bool inflate : {true, false}) {
    CorrectedOptions options;
    options.inflate = inflate;
    const auto transfer = Combined(options, situation.input());
    Hyperparameters own = AtLocation(*transfer, kNoise);
    own.mean = 0.3;
    const Vector lengthscales = own.kernel.tail(2).array().exp();
    const double variance = std::exp(2 * own.kernel[0]);
    const auto k = [&](const Vector& x, const Vector& other) {
      return variance * NaiveMatern52(x, other, lengthscales);
    };
    const NaiveCorrected of_a(a->data, target, k, kNoise, inflate);
    const NaiveCorrected of_b(b->data, target, k, kNoise, inflate);
    PointMatrix x(28, 2);
    Vector y(28);
    Vector noise(28);
    x << target.x, a->data.x, b->data.x;
    y << target.y, of_a.y, of_b.y;
    noise << Vector::Constant(7, kNoise), of_a.noise, of_b.noise;
    const PointMatrix at = RandomPoints(situation.kinds, 20, 3);
    const NaivePosterior naive = NaiveRegression(k, x, Vector(y.array() - 0.3), noise, at);
    const auto surrogate = transfer->Fit(own).value();
    const Predictions actual = surrogate->Predict(at);
    EXPECT_LT((actual.mean.array() - 0.3 - naive.mean.array()).abs().maxCoeff(), 1e-8);
    EXPECT_LT((actual.variance - naive.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-8);
    ExpectConsistent(*surrogate, at);
    ExpectConsistent(*surrogate->Fantasize(RandomPoints(situation.kinds, 3, 8)).value(), at);
    const double all = noise.cwiseInverse().sum();
    const Vector shares = transfer->Shares(own);
    EXPECT_NEAR(shares[0], of_a.noise.cwiseInverse().sum() / all, 1e-8);
    EXPECT_NEAR(shares[1], of_b.noise.cwiseInverse().sum() / all, 1e-8);
  }
}

// The same steps under each source's own kernel.
TEST(Corrected, ShowsACalibrationPointsCorrectedUnderTheSourcesKernel) {
  const auto a = SourceOf("a", Wave, 2, 12, 1);
  const auto b = SourceOf("b", Bowl, 2, 9, 4);
  const Situation situation({a, b}, Sampled(Wave, 2, 7, 2));
  const auto k = [](const Vector& x, const Vector& other) {
    return NaiveMatern52(x, other, Vector::Constant(x.size(), 0.4));
  };
  const NaiveCorrected of_a(a->data, situation.target, k, kSourceNoise, true);
  const NaiveCorrected of_b(b->data, situation.target, k, kSourceNoise, true);
  const auto transfer = Combined(CorrectedOptions(), situation.input());
  const TrainingData& data = transfer->data();
  ASSERT_EQ(data.y.size(), 28);
  EXPECT_LT((data.y.segment(7, 12) - of_a.y).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((data.y.tail(9) - of_b.y).cwiseAbs().maxCoeff(), 1e-8);
  const Vector noise = NoiseOf(data, std::log(kNoise));
  EXPECT_LT((noise.head(7).array() - kNoise).abs().maxCoeff(), 1e-12);
  EXPECT_LT((noise.segment(7, 12) - of_a.noise).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((noise.tail(9) - of_b.noise).cwiseAbs().maxCoeff(), 1e-8);
  const auto likelihood =
      LogMarginalLikelihood(*transfer->model().kernel, data, AtLocation(*transfer, kNoise));
  ASSERT_TRUE(likelihood.ok()) << likelihood.status();
  EXPECT_TRUE(likelihood->gradient.allFinite());
}

TEST(Corrected, ShowsACalibrationOnlyTheResultsThatItIsFor) {
  CorrectedOptions options;
  options.most_calibrated_points = 20;
  ExpectCalibratesToFirstResults(*MakeCorrectedSources(options));
}

// What it is for: a source that is off by something smooth.
TEST(Corrected, TakesOutASmoothBias) {
  const auto biased = [](const Vector& x) { return Wave(x) + 2 - 3 * x[0]; };
  double corrected = 0;
  double alone = 0;
  CorrectedOptions ignorant;
  ignorant.most_points = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Situation situation({SourceOf("a", Sampled(biased, 2, 60, seed, false))},
                              Sampled(Wave, 2, 10, 100 + seed, false));
    Vector truth(situation.places.rows());
    for (Index i = 0; i < truth.size(); ++i) {
      truth[i] = Wave(situation.places.row(i).transpose());
    }
    corrected += (Believed(CorrectedOptions(), situation).mean - truth).squaredNorm();
    alone += (Believed(ignorant, situation).mean - truth).squaredNorm();
  }
  EXPECT_LT(corrected, 0.7 * alone);
}

// Before the first result nothing is known of the difference.
TEST(Corrected, BeforeTheFirstResultIsTheSourceUnderMuchNoise) {
  const auto source = SourceOf("a", Wave, 2, 20, 1);
  const Situation situation({source}, Sampled(Wave, 2, 0, 2));
  const auto transfer = Combined(CorrectedOptions(), situation.input());
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector noise =
      Vector::Constant(20, kSourceNoise + transfer->model().kernel->Variance(own.kernel));
  const Predictions expected =
      GaussianProcess::Fit(
          std::make_shared<KernelPrior>(transfer->model().kernel, own.kernel, own.mean),
          {source->data.x, source->data.y, noise})
          ->Predict(situation.places);
  const Predictions actual = transfer->Fit(own).value()->Predict(situation.places);
  EXPECT_LT((actual.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((actual.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_TRUE(transfer->Remarks(own).empty());
}

TEST(Corrected, LivesWithLittleAndWithDegenerateData) {
  ExpectLivesWithLittle(*MakeCorrectedSources(CorrectedOptions()));
}

TEST(Corrected, ThinsManyPointsAndIsTheSameEachTime) {
  CorrectedOptions options;
  options.most_points = 210;
  ExpectThinsManyPoints(*MakeCorrectedSources(options), "200 of 3000");
}

}  // namespace
}  // namespace slipstream
