#include "core/prior/pooled_sources.h"

#include <cmath>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/gp/stacked_priors.h"
#include "tests/core/prior/naive_regression.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

PooledOptions EnvGp() {
  PooledOptions options;
  options.kernel = PooledKernel::kTargets;
  return options;
}

std::unique_ptr<Transfer> Combined(const PooledOptions& options, const PriorInput& input) {
  return MakePooledSources(options)->Combine(input).value();
}

double RemarkOf(const Transfer& transfer, const std::string& name) {
  return RemarkOf(transfer, AtLocation(transfer, kNoise), name);
}

// Equations 20 to 24 with a source-only regression written out.
double NaiveEnvelope(const TrainingData& source, const TrainingData& target, double tau = 5,
                     double v = 3) {
  const auto k = [](const Vector& a, const Vector& b) {
    return NaiveMatern52(a, b, Vector::Constant(a.size(), 0.4));
  };
  const Vector predicted =
      NaiveRegression(k, source.x, source.y, Vector::Constant(source.y.size(), 1e-3), target.x)
          .mean;
  for (Index i = 0; i < target.y.size(); ++i) {
    tau += 0.5;
    v += (target.y[i] - predicted[i]) * (target.y[i] - predicted[i]) / 2;
  }
  return v / (tau + 1);
}

// Equations 17 to 19: all points under one kernel, the sources' with more noise.
TEST(Envelope, IsTheRegressionOfThePaper) {
  const auto a = SourceOf("a", Wave, 2, 12, 1);
  const auto b = SourceOf("b", Bowl, 2, 9, 4);
  const Situation situation({a, b}, Sampled(Wave, 2, 7, 2));
  const TrainingData& target = situation.target;
  const auto transfer = Combined(PooledOptions(), situation.input());
  Hyperparameters own = AtLocation(*transfer, kNoise);
  EXPECT_EQ(own.kernel[0], 0);
  EXPECT_EQ(own.mean, 0);
  own.kernel[1] = std::log(0.3);
  const double theta = 0.3 * 0.3;
  const auto k = [&](const Vector& x, const Vector& other) {
    return std::exp(-(x - other).squaredNorm() / (2 * theta));
  };
  PointMatrix x(28, 2);
  Vector y(28);
  Vector noise(28);
  x << target.x, a->data.x, b->data.x;
  y << target.y, a->data.y, b->data.y;
  noise << Vector::Constant(7, kNoise), Vector::Constant(12, NaiveEnvelope(a->data, target)),
      Vector::Constant(9, NaiveEnvelope(b->data, target));
  const PointMatrix at = RandomPoints(situation.kinds, 20, 3);
  const NaivePosterior naive = NaiveRegression(k, x, y, noise, at);
  const auto surrogate = transfer->Fit(own).value();
  const Predictions actual = surrogate->Predict(at);
  EXPECT_LT((actual.mean - naive.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((actual.variance - naive.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((surrogate->JointCovariance(at) - naive.covariance).cwiseAbs().maxCoeff(), 1e-8);
  ExpectConsistent(*surrogate, at);
  ExpectConsistent(*surrogate->Fantasize(RandomPoints(situation.kinds, 3, 8)).value(), at);
}

TEST(Envelope, TheBeliefInTheNoiseIsAnOptionOfBothPriors) {
  const auto source = SourceOf("a", Wave, 2, 12, 1);
  const Situation situation({source}, Sampled(Wave, 2, 7, 2));
  for (const PriorRow* row : {&kEnvelopePrior, &kEnvGpPrior}) {
    OptionSet options = row->about.options();
    options.Set("update_noise", 1);
    options.Set("envelope_shape", 2);
    options.Set("envelope_scale", 0.5);
    const auto transfer = row->make(options, {})->Combine(situation.input()).value();
    EXPECT_NEAR(RemarkOf(*transfer, "source_noise_variance"),
                NaiveEnvelope(source->data, situation.target, 2, 0.5), 1e-9);
    options.Set("update_noise", 0);
    options.Set("source_noise", 0.25);
    const auto fixed = row->make(options, {})->Combine(situation.input()).value();
    if (row == &kEnvGpPrior) {
      EXPECT_EQ(RemarkOf(*fixed, "source_noise_variance"), 0.25);
    } else {
      EXPECT_NEAR(RemarkOf(*fixed, "source_noise_variance"),
                  NaiveEnvelope(source->data, situation.target, 2, 0.5), 1e-9);
    }
  }
}

// As many as there are, as if each were of a configuration of its own.
TEST(Envelope, EachOfSeveralResultsOfOneConfigurationCounts) {
  const auto source = SourceOf("a", Wave, 2, 12, 1);
  TrainingData single = Sampled(Wave, 2, 5, 2);
  single.x.row(3) = single.x.row(1);
  single.x.row(4) = single.x.row(1);
  TrainingData merged = FirstOf(single, 3);
  const Vector repeats = Vector{{single.y[1], single.y[3], single.y[4]}};
  merged.y[1] = repeats.mean();
  merged.repeats[1] = 3;
  merged.spreads = Vector::Zero(3);
  merged.spreads[1] = (repeats.array() - repeats.mean()).square().sum();
  const Situation situation({source}, merged);
  EXPECT_NEAR(RemarkOf(*Combined(PooledOptions(), situation.input()), "source_noise_variance"),
              NaiveEnvelope(source->data, single), 1e-9);
}

TEST(Envelope, TakesAnAmplitudeAndAMeanThatAreGiven) {
  const Situation situation({SourceOf("a", Wave, 2, 12, 1)}, Sampled(Wave, 2, 7, 2));
  PriorInput input = situation.input();
  input.model.given.amplitude = 0.5;
  input.model.given.mean = -2;
  const Hyperparameters given = AtLocation(*Combined(PooledOptions(), input), kNoise);
  EXPECT_EQ(given.kernel[0], std::log(0.5));
  EXPECT_EQ(given.mean, -2);
}

TEST(Envelope, StartsAtThePriorsModeAndNarrowsWhereTheSourceIsRight) {
  const auto source = SourceOf("a", Wave, 2, 60, 1);
  const auto variance_after = [&](const TestFunction& function, Index results) {
    const Situation situation({source}, Sampled(function, 2, results, 2));
    return RemarkOf(*Combined(PooledOptions(), situation.input()), "source_noise_variance");
  };
  const auto against = [](const Vector& x) { return -Wave(x); };
  EXPECT_DOUBLE_EQ(variance_after(Wave, 0), 0.5);
  EXPECT_NEAR(variance_after(Wave, 40), 3.0 / 26, 0.02);
  EXPECT_GT(variance_after(against, 40), 1.2);
}

// The root mean squared error of what is believed after eight results, over a
// few seeds; all values as they are, so that source and target have one scale.
double ErrorOf(const PooledOptions& options, const TestFunction& source) {
  double sum = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Situation situation({SourceOf("a", Sampled(source, 2, 40, seed, false))},
                              Sampled(Wave, 2, 8, 100 + seed, false));
    const auto transfer = Combined(options, situation.input());
    const Predictions there =
        transfer->Fit(AtLocation(*transfer, kNoise)).value()->Predict(situation.places);
    for (Index i = 0; i < there.mean.size(); ++i) {
      sum += std::pow(there.mean[i] - Wave(situation.places.row(i).transpose()), 2);
    }
  }
  return std::sqrt(sum / (8 * 64));
}

TEST(Pooled, LearnsFromAnEqualSourceAndMayLeaveOutAWrongOne) {
  const auto against = [](const Vector& x) { return -Wave(x); };
  PooledOptions guarded = EnvGp();
  guarded.drop_misleading = true;
  PooledOptions ignorant = EnvGp();
  ignorant.most_points = 0;
  const double alone = ErrorOf(ignorant, Wave);
  EXPECT_LT(ErrorOf(EnvGp(), Wave), 0.8 * alone);
  EXPECT_LT(ErrorOf(guarded, Wave), 0.8 * alone);
  EXPECT_GT(ErrorOf(EnvGp(), against), 1.05 * alone);
  EXPECT_LT(ErrorOf(guarded, against), 1.02 * alone);
}

TEST(Pooled, WithASourceLeftOutIsNoTransfer) {
  const auto against = [](const Vector& x) { return -Wave(x); };
  const Situation wrong({SourceOf("a", against, 2, 40, 1)}, Sampled(Wave, 2, 12, 2));
  PooledOptions options = EnvGp();
  options.drop_misleading = true;
  const auto transfer = Combined(options, wrong.input());
  EXPECT_EQ(RemarkOf(*transfer, "sources_left_out"), 1);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  EXPECT_EQ(transfer->Shares(own), Vector::Zero(1));
  const PointMatrix at = RandomPoints(wrong.kinds, 50, 3);
  const Predictions alone =
      FitProcess(transfer->model().kernel, wrong.target, own).value().Predict(at);
  EXPECT_EQ(transfer->Fit(own).value()->Predict(at).mean, alone.mean);
  EXPECT_EQ(transfer->data().y, wrong.target.y);
}

TEST(Pooled, WithAGivenVarianceIsThatRegression) {
  const auto source = SourceOf("a", Wave, 3, 10, 1);
  const Situation situation({source}, Sampled(Bowl, 3, 6, 2));
  PooledOptions options = EnvGp();
  options.noise = PooledNoise::kFixed;
  options.fixed_variance = 0.3;
  const auto transfer = Combined(options, situation.input());
  EXPECT_EQ(transfer->model().kernel->parameter_count(), 4);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const Vector lengthscales = own.kernel.tail(3).array().exp();
  const double variance = std::exp(2 * own.kernel[0]);
  const auto k = [&](const Vector& a, const Vector& b) {
    return variance * NaiveMatern52(a, b, lengthscales);
  };
  PointMatrix x(16, 3);
  Vector y(16);
  Vector noise(16);
  x << situation.target.x, source->data.x;
  y << situation.target.y, source->data.y;
  noise << Vector::Constant(6, kNoise), Vector::Constant(10, 0.3);
  const PointMatrix at = RandomPoints(situation.kinds, 10, 3);
  const NaivePosterior naive = NaiveRegression(k, x, y, noise, at);
  const Predictions actual = transfer->Fit(own).value()->Predict(at);
  EXPECT_LT((actual.mean - naive.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((actual.variance - naive.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-8);
  const double expected = 10 / 0.3 / (10 / 0.3 + 6 / kNoise);
  EXPECT_NEAR(transfer->Shares(own)[0], expected, 1e-12);
}

// What a calibration sees is the likelihood of what is regressed on.
TEST(Pooled, ShowsACalibrationItsDataUpToABound) {
  const auto source = SourceOf("a", Wave, 2, 40, 1);
  const Situation situation({source}, Sampled(Wave, 2, 9, 2));
  const auto transfer = Combined(EnvGp(), situation.input());
  EXPECT_EQ(transfer->data().y.size(), 49);
  EXPECT_EQ(transfer->data().y.head(9), situation.target.y);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const auto value = LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own);
  const auto process = FitProcess(transfer->model().kernel, transfer->data(), own).value();
  EXPECT_NEAR(value->value, LogLikelihoodOf(process), 1e-9);

  PooledOptions few = EnvGp();
  few.most_calibrated_points = 20;
  EXPECT_EQ(Combined(few, situation.input())->data().y.size(), 20);
  few.most_calibrated_points = 5;
  EXPECT_EQ(Combined(few, situation.input())->data().y, situation.target.y);
}

TEST(Pooled, ShowsACalibrationOnlyTheResultsThatItIsFor) {
  PooledOptions options = EnvGp();
  options.most_calibrated_points = 20;
  ExpectCalibratesToFirstResults(*MakePooledSources(options));
}

TEST(Pooled, ThinsManyPointsEvenlyAndSaysSo) {
  PooledOptions options = EnvGp();
  options.most_points = 210;
  ExpectThinsManyPoints(*MakePooledSources(options), "200 of 3000");
}

TEST(Pooled, LivesWithLittleAndWithDegenerateData) {
  for (const PooledOptions& options : {EnvGp(), PooledOptions()}) {
    ExpectLivesWithLittle(*MakePooledSources(options));
  }
}

}  // namespace
}  // namespace slipstream
