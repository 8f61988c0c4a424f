#include "tests/core/prior/prior_fixtures.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/gp/data_fingerprint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"

namespace slipstream {

double Wave(const Vector& x) {
  double sum = 0;
  for (Index i = 0; i < x.size(); ++i) sum += std::sin(5 * x[i] + static_cast<double>(i));
  return sum;
}

double Bowl(const Vector& x) { return -(x.array() - 0.3).square().sum(); }

TrainingData Sampled(const TestFunction& function, Index dimension, Index count, uint64_t seed,
                     bool standardize) {
  TrainingData data{RandomPoints(Numbers(dimension), count, seed), Vector(count),
                    Vector::Ones(count)};
  for (Index i = 0; i < count; ++i) data.y[i] = function(data.x.row(i).transpose());
  if (standardize && count > 1) {
    data.y.array() -= data.y.mean();
    const double deviation = std::sqrt(data.y.squaredNorm() / static_cast<double>(count));
    if (deviation > 0) data.y /= deviation;
  }
  return data;
}

OwnPart OwnOf(Index dimension) {
  OwnPart own;
  own.kernel =
      MakeStationary(Smoothness::kSquaredExponential, Numbers(dimension), Lengthscales::kShared);
  own.parameters = Vector{{std::log(0.5), std::log(0.3)}};
  own.mean = 0.2;
  return own;
}

Observations ObservationsOf(const TestFunction& function, Index dimension, Index count) {
  const TrainingData data = Sampled(function, dimension, count, 31);
  return {data.x, data.y, RandomVector(count, 0.01, 0.1, 32)};
}

std::shared_ptr<const SourceModel> SourceOf(const std::string& name, TrainingData data,
                                            double noise_variance) {
  const std::shared_ptr<const Kernel> kernel =
      MakeStationary(Smoothness::kMatern52, Numbers(data.x.cols()), Lengthscales::kEach);
  Hyperparameters hyperparameters{Vector::Constant(kernel->parameter_count(), std::log(0.4)),
                                  std::log(noise_variance), 0};
  hyperparameters.kernel[0] = 0;
  absl::StatusOr<std::shared_ptr<const SourceModel>> source =
      FitSourceModel(name, std::move(data), kernel, hyperparameters);
  EXPECT_TRUE(source.ok()) << source.status();
  return source.ok() ? *source : nullptr;
}

std::shared_ptr<const SourceModel> SourceOf(const std::string& name, const TestFunction& function,
                                            Index dimension, Index count, uint64_t seed) {
  return SourceOf(name, Sampled(function, dimension, count, seed));
}

Situation::Situation(SourceModels all, TrainingData results, Index place_count, uint64_t number)
    : kinds(Numbers(results.x.cols())),
      sources(std::move(all)),
      target(std::move(results)),
      places(RandomPoints(kinds, place_count, 4711)),
      seed(number) {}

EarlierResults EarlierFrom(std::function<TrainingData(Index count)> at, Index now) {
  const auto fingerprints = [at, now] {
    std::vector<Fingerprint> by_count(1);
    for (Index count = 1; count <= now; ++count) {
      by_count.push_back(by_count.back());
      AddData(at(count), &by_count.back());
    }
    return by_count;
  };
  return {at, fingerprints};
}

PriorInput Situation::input() const {
  return {kinds,
          target,
          sources,
          ModelOptions(),
          Places(places),
          EarlierFrom([this](Index count) { return FirstOf(target, count); }, target.y.size()),
          seed};
}

Hyperparameters AtLocation(const Transfer& transfer, double noise_variance) {
  Hyperparameters hyperparameters = transfer.model().Unpack(transfer.model().Location());
  hyperparameters.log_noise_variance = std::log(noise_variance);
  return hyperparameters;
}

double RemarkOf(const Transfer& transfer, const Hyperparameters& own, const std::string& name) {
  for (const Remark& remark : transfer.Remarks(own)) {
    if (remark.first == name) return std::get<double>(remark.second);
  }
  ADD_FAILURE() << "no remark " << name;
  return 0;
}

void ExpectConsistent(const Surrogate& surrogate, const PointMatrix& at, double tolerance) {
  constexpr double kStep = 1e-5;
  const Predictions there = surrogate.Predict(at);
  const Matrix joint = surrogate.JointCovariance(at);
  for (Index i = 0; i < at.rows(); ++i) {
    const Vector x = at.row(i).transpose();
    const PointPrediction point = surrogate.PredictPoint(x);
    EXPECT_NEAR(point.mean, there.mean[i], 1e-8);
    EXPECT_NEAR(point.variance, there.variance[i], 1e-9);
    EXPECT_NEAR(joint(i, i), there.variance[i], 1e-7);
    EXPECT_GT(point.variance, 0);
    for (Index k = 0; k < x.size(); ++k) {
      PointMatrix moved(2, x.size());
      moved.row(0) = x.transpose();
      moved.row(1) = x.transpose();
      moved(0, k) += kStep;
      moved(1, k) -= kStep;
      const Predictions near = surrogate.Predict(moved);
      EXPECT_NEAR(point.mean_gradient[k], (near.mean[0] - near.mean[1]) / (2 * kStep), tolerance);
      EXPECT_NEAR(point.variance_gradient[k], (near.variance[0] - near.variance[1]) / (2 * kStep),
                  tolerance);
    }
  }
}

void ExpectFiniteWhereDataAreDegenerate(const Prior& prior) {
  TrainingData target = Sampled(Wave, 2, 7, 3);
  target.x.row(1) = target.x.row(0);
  target.y[1] = target.y[0];
  TrainingData alike = target;
  alike.y.setZero();
  for (const TrainingData& results : {target, alike}) {
    const Situation situation({SourceOf("one", Wave, 2, 1, 1), SourceOf("own", results, 1e-4)},
                              results);
    const auto transfer = prior.Combine(situation.input()).value();
    for (const double noise : {1e-4, 1e-8}) {
      const Hyperparameters own = AtLocation(*transfer, noise);
      EXPECT_TRUE(transfer->Shares(own).allFinite());
      const auto surrogate = transfer->Fit(own);
      ASSERT_TRUE(surrogate.ok()) << surrogate.status();
      ExpectConsistent(**surrogate, RandomPoints(situation.kinds, 5, 4), 1e-2);
      EXPECT_TRUE((*surrogate)->Predict(results.x).mean.allFinite());
      EXPECT_GT((*surrogate)->Predict(results.x).variance.minCoeff(), 0);
    }
  }
}

void ExpectLivesWithLittle(const Prior& prior) {
  const auto one = SourceOf("a", Wave, 2, 1, 1);
  TrainingData flat = Sampled(Wave, 2, 8, 3);
  flat.y.setZero();
  const auto zero = SourceOf("b", flat);
  for (const Index results : {0, 1, 5}) {
    TrainingData target = Sampled(Wave, 2, results, 2);
    for (Index i = 1; i < results; ++i) target.x.row(i) = target.x.row(0);
    TrainingData alike = target;
    alike.y.setZero();
    for (const SourceModels& sources :
         {SourceModels{one, one, one}, SourceModels{zero}, SourceModels{zero, zero},
          SourceModels{zero, one}}) {
      // Of different results at one place under hardly any noise, differences lose digits.
      for (const auto& [ended, noise, tolerance] :
           {std::tuple(target, 1e-6, 1e-4), std::tuple(alike, 1e-8, 1e-5)}) {
        const Situation situation(sources, ended);
        const auto transfer = prior.Combine(situation.input()).value();
        const Hyperparameters own = AtLocation(*transfer, noise);
        const auto surrogate = transfer->Fit(own).value();
        ExpectConsistent(*surrogate, RandomPoints(situation.kinds, 5, 3), tolerance);
        EXPECT_TRUE(surrogate->Predict(situation.places).mean.allFinite());
        EXPECT_TRUE(transfer->Shares(own).allFinite());
      }
    }
  }
}

void ExpectThinsManyPoints(const Prior& prior, const std::string& remark) {
  SourceModels sources;
  for (uint64_t i = 0; i < 100; ++i) sources.push_back(SourceOf("s", Wave, 2, 30, i + 1));
  const Situation situation(sources, Sampled(Wave, 2, 10, 2));
  const auto transfer = prior.Combine(situation.input()).value();
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  EXPECT_THAT(transfer->Remarks(own), ::testing::Contains(Remark("source_points", remark)));
  const Vector shares = transfer->Shares(own);
  ASSERT_EQ(shares.size(), 100);
  EXPECT_GT(shares.minCoeff(), 0);
  EXPECT_LE(shares.sum(), 1);
  const auto surrogate = transfer->Fit(own).value();
  ExpectConsistent(*surrogate, RandomPoints(situation.kinds, 3, 3));
  const auto again = prior.Combine(situation.input()).value()->Fit(own).value();
  EXPECT_EQ(surrogate->Predict(situation.places).mean, again->Predict(situation.places).mean);
}

std::unique_ptr<Transfer> ExpectCalibratesToFirstResults(const Prior& prior) {
  const auto source = SourceOf("a", Wave, 2, 40, 1);
  const Situation more({source}, Sampled(Wave, 2, 9, 2));
  const Situation fewer({source}, FirstOf(more.target, 6));
  PriorInput input = more.input();
  input.calibrated_results = 6;
  auto transfer = prior.Combine(input).value();
  const auto earlier = prior.Combine(fewer.input()).value();
  EXPECT_EQ(transfer->data().y.size(), 20);
  EXPECT_EQ(transfer->data().x.topLeftCorner(6, 2), fewer.target.x);
  EXPECT_EQ(transfer->data().y, earlier->data().y);
  EXPECT_EQ(transfer->data().x, earlier->data().x);
  EXPECT_EQ(transfer->data().known_noise, earlier->data().known_noise);
  const Hyperparameters own = AtLocation(*transfer, kNoise);
  const auto likelihood = LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), own);
  const auto same = LogMarginalLikelihood(*earlier->model().kernel, earlier->data(), own);
  EXPECT_TRUE(likelihood.ok() && likelihood->value == same->value) << likelihood.status();
  return transfer;
}

void ExpectIsPreparedAhead(const std::function<std::unique_ptr<Prior>()>& make, int count) {
  SourceModels sources;
  for (int i = 0; i < count; ++i) {
    sources.push_back(SourceOf("s", i % 3 == 0 ? Bowl : Wave, 2, 40, static_cast<uint64_t>(i) + 1));
  }
  const Situation nothing(sources, Sampled(Wave, 2, 0, 999));
  const Situation situation(sources, Sampled(Wave, 2, 2, 999));
  const auto combine = [&](const Prior& prior, double& seconds) {
    const std::clock_t begin = std::clock();
    auto transfer = prior.Combine(situation.input()).value();
    seconds = std::min(seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    return transfer;
  };
  double anew = std::numeric_limits<double>::infinity();
  double prepared = anew;
  for (int round = 0; round < 3; ++round) {
    const auto expected = combine(*make(), anew);
    const std::unique_ptr<Prior> prior = make();
    const absl::Status status = prior->Prepare(nothing.input());
    ASSERT_TRUE(status.ok()) << status;
    const auto transfer = combine(*prior, prepared);
    const Hyperparameters own = AtLocation(*expected, kNoise);
    const PointMatrix at = RandomPoints(situation.kinds, 20, 3);
    EXPECT_EQ(transfer->Fit(own).value()->Predict(at).mean,
              expected->Fit(own).value()->Predict(at).mean);
    EXPECT_EQ(transfer->Remarks(own), expected->Remarks(own));
  }
  EXPECT_LT(prepared, 0.5 * anew);
}

}  // namespace slipstream
