#include "core/prior/pretrained/pretrained.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/gp/normal.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/gp/stacked_priors.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

PretrainedOptions LinearOptions() {
  PretrainedOptions options;
  options.mean = MeanFunction::kLinear;
  return options;
}

PretrainedOptions DivergenceOptions() {
  PretrainedOptions options;
  options.objective = PretrainingObjective::kEmpiricalDivergence;
  return options;
}

std::vector<PretrainedOptions> AllPretrainedOptions() {
  PretrainedOptions plain;
  plain.with_beliefs = false;
  PretrainedOptions both = DivergenceOptions();
  both.mean = MeanFunction::kLinear;
  return {PretrainedOptions(), LinearOptions(), DivergenceOptions(), both, plain};
}

std::unique_ptr<Transfer> Pretrained(const PretrainedOptions& options, const Situation& situation) {
  return MakePretrained(options)->Combine(situation.input()).value();
}

Hyperparameters LearntBy(const Transfer& transfer) {
  return transfer.model().Unpack(transfer.model().Location());
}

double LearntRemark(const Transfer& transfer, const std::string& name) {
  for (const auto& [key, value] : transfer.Remarks(LearntBy(transfer))) {
    if (key == name) return std::get<double>(value);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Matrix NaiveMatern(const Vector& parameters, const PointMatrix& a, const PointMatrix& b) {
  Matrix k(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      double squares = 0;
      for (Index d = 0; d < a.cols(); ++d) {
        squares += std::pow((a(i, d) - b(j, d)) / std::exp(parameters[1 + d]), 2);
      }
      const double r = std::sqrt(5 * squares);
      k(i, j) = std::exp(2 * parameters[0]) * (1 + r + r * r / 3) * std::exp(-r);
    }
  }
  return k;
}

// The mean over the sources of the negative log likelihood of their results.
double NaiveLoss(const SourceModels& sources, const Hyperparameters& own) {
  double sum = 0;
  for (const auto& source : sources) {
    Matrix k = NaiveMatern(own.kernel, source->data.x, source->data.x);
    k.diagonal().array() += std::exp(own.log_noise_variance);
    Vector residual = source->data.y.array() - own.mean;
    for (Index d = 0; d < own.weights.size(); ++d) {
      for (Index i = 0; i < residual.size(); ++i) {
        residual[i] -= own.weights[d] * (source->data.x(i, d) - 0.5);
      }
    }
    sum += residual.dot(DenseSolve(k, residual)) / 2 + DenseLogDeterminant(k) / 2 +
           static_cast<double>(residual.size()) * std::log(2 * M_PI) / 2;
  }
  return sum / static_cast<double>(sources.size());
}

// Log-normal and normal densities as DefaultModel's comment has them, in two
// dimensions, up to a constant.
double NaiveBeliefs(const Hyperparameters& own) {
  double value = -std::pow(own.kernel[0] / 0.5, 2) / 2;
  for (Index d = 1; d < own.kernel.size(); ++d) {
    value -= std::pow(own.kernel[d] - (std::log(2.0) / 2 - 1), 2) / 2;
  }
  value -= std::pow(own.log_noise_variance + 4, 2) / 2 + own.mean * own.mean / 2;
  return value - own.weights.squaredNorm() / 18;
}

SourceModels Waves(size_t count, Index size) {
  SourceModels sources;
  for (uint64_t i = 0; i < count; ++i) {
    const double shift = 0.3 * static_cast<double>(i);
    const auto moved = [shift](const Vector& x) { return Wave(x.array() + shift); };
    sources.push_back(SourceOf("wave", moved, 2, size, 100 + i));
  }
  return sources;
}

// Draws of one process with these hyperparameters, each at points of its own.
SourceModels Draws(const Hyperparameters& truth, size_t count, Index size) {
  SourceModels sources;
  for (uint64_t i = 0; i < count; ++i) {
    TrainingData data{RandomPoints(Numbers(truth.kernel.size() - 1), size, 500 + i), Vector(size),
                      Vector::Ones(size)};
    Matrix k = NaiveMatern(truth.kernel, data.x, data.x);
    k.diagonal().array() += std::exp(truth.log_noise_variance);
    const Matrix root = DenseLowerFactor(k);
    Vector z(size);
    for (Index j = 0; j < size; ++j)
      z[j] = CounterRandomNormal(600 + i, static_cast<uint64_t>(j), 0);
    data.y = (root * z).array() + truth.mean;
    for (Index d = 0; d < truth.weights.size(); ++d) {
      data.y.array() += truth.weights[d] * (data.x.col(d).array() - 0.5);
    }
    sources.push_back(SourceOf("draw", std::move(data)));
  }
  return sources;
}

TEST(Pretrained, MinimisesTheMeanLossOfTheSources) {
  const Situation situation(Waves(4, 20), Sampled(Wave, 2, 5, 1));
  for (const bool is_linear : {false, true}) {
    for (const bool with_beliefs : {false, true}) {
      PretrainedOptions options = is_linear ? LinearOptions() : PretrainedOptions();
      options.with_beliefs = with_beliefs;
      const auto transfer = Pretrained(options, situation);
      const Hyperparameters learnt = LearntBy(*transfer);
      EXPECT_NEAR(LearntRemark(*transfer, "negative_log_likelihood_per_task"),
                  NaiveLoss(situation.sources, learnt), 1e-8);
      const auto loss = [&](const Vector& packed) {
        const Hyperparameters own = Hyperparameters::Unpacked(packed, learnt.weights.size());
        return NaiveLoss(situation.sources, own) - (with_beliefs ? NaiveBeliefs(own) : 0);
      };
      const Vector packed = learnt.Packed();
      const double least = loss(packed);
      for (Index i = 0; i < packed.size(); ++i) {
        for (const double step : {-0.3, -0.03, 0.03, 0.3}) {
          Vector near = packed;
          near[i] += step;
          if (i == 3 && near[i] < std::log(1e-6)) continue;  // Noise stays above that.
          EXPECT_GT(loss(near), least - 2e-3) << i << " " << step;
        }
      }
    }
  }
}

TEST(Pretrained, LearnsTheProcessThatTheSourcesWereDrawnFrom) {
  const Hyperparameters truth{Vector{{std::log(0.9), std::log(0.15), std::log(1.2)}},
                              std::log(0.02), 0.4};
  const Situation situation(Draws(truth, 30, 40), Sampled(Wave, 2, 3, 1));
  const Hyperparameters learnt = LearntBy(*Pretrained(PretrainedOptions(), situation));
  EXPECT_LT((learnt.kernel - truth.kernel).cwiseAbs().maxCoeff(), 0.25)
      << learnt.kernel.transpose();
  EXPECT_NEAR(learnt.log_noise_variance, truth.log_noise_variance, 0.25);
  EXPECT_NEAR(learnt.mean, truth.mean, 0.2);
}

TEST(Pretrained, LearnsALinearMean) {
  const Hyperparameters truth{Vector{{std::log(0.5), std::log(0.3), std::log(0.3)}}, std::log(0.02),
                              0.4, Vector{{2.0, -1.0}}};
  const Situation situation(Draws(truth, 30, 40), Sampled(Wave, 2, 3, 1));
  const Hyperparameters learnt = LearntBy(*Pretrained(LinearOptions(), situation));
  EXPECT_NEAR(learnt.mean, truth.mean, 0.2);
  EXPECT_LT((learnt.weights - truth.weights).cwiseAbs().maxCoeff(), 0.3)
      << learnt.weights.transpose();
}

double NaiveDivergence(const PointMatrix& x, const Matrix& values, const Hyperparameters& own) {
  Vector u = Vector::Zero(x.rows());
  for (Index k = 0; k < values.cols(); ++k) u += values.col(k);
  u /= static_cast<double>(values.cols());
  Matrix s = Matrix::Zero(x.rows(), x.rows());
  for (Index k = 0; k < values.cols(); ++k) {
    s += (values.col(k) - u) * (values.col(k) - u).transpose();
  }
  s /= static_cast<double>(values.cols());
  Matrix k = NaiveMatern(own.kernel, x, x);
  k.diagonal().array() += std::exp(own.log_noise_variance);
  const Vector off = u.array() - own.mean;
  return DenseSolve(k, s).trace() + off.dot(DenseSolve(k, off)) + DenseLogDeterminant(k);
}

TEST(Pretrained, MinimisesTheEmpiricalDivergenceOfMatchingResults) {
  SourceModels sources;
  Matrix values(25, 6);
  for (uint64_t i = 0; i < 6; ++i) {
    const double shift = 0.4 * static_cast<double>(i);
    const auto moved = [shift](const Vector& x) { return Wave(x.array() + shift); };
    sources.push_back(SourceOf("a", moved, 2, 25, 9));
    values.col(static_cast<Index>(i)) = sources.back()->data.y;
  }
  const Situation situation(sources, Sampled(Wave, 2, 5, 1));
  PretrainedOptions options = DivergenceOptions();
  options.with_beliefs = false;
  const auto transfer = Pretrained(options, situation);
  const Hyperparameters learnt = LearntBy(*transfer);
  const double least = NaiveDivergence(sources[0]->data.x, values, learnt);
  EXPECT_NEAR(LearntRemark(*transfer, "empirical_divergence"), least, 1e-6 * std::abs(least));
  const Vector packed = learnt.Packed();
  for (Index i = 0; i < packed.size(); ++i) {
    for (const double step : {-0.1, 0.1}) {
      Vector near = packed;
      near[i] += step;
      if (i == 3 && near[i] < std::log(1e-6)) continue;
      EXPECT_GT(NaiveDivergence(sources[0]->data.x, values, Hyperparameters::Unpacked(near)),
                least - 5e-3)
          << i << " " << step;
    }
  }
}

// Means have no noise: it is what the sources were fitted with.
TEST(Pretrained, TakesPosteriorMeansWherePointsDoNotMatch) {
  const SourceModels sources = Waves(5, 30);
  const Situation situation(sources, Sampled(Wave, 2, 5, 1), 40);
  const auto transfer = Pretrained(DivergenceOptions(), situation);
  const Hyperparameters learnt = LearntBy(*transfer);
  EXPECT_NEAR(learnt.log_noise_variance, std::log(1e-3), 1e-12);
  EXPECT_EQ(LearntRemark(*transfer, "pretraining_points"), 200);
  Matrix values(40, 5);
  for (Index k = 0; k < 5; ++k) {
    values.col(k) = sources[static_cast<size_t>(k)]->process->Predict(situation.places).mean;
  }
  // The blur s^2 of the means is not handed on: it is found anew here.
  double least = std::numeric_limits<double>::infinity();
  for (double blur = std::log(1e-6); blur < 0; blur += 0.05) {
    Hyperparameters own = learnt;
    own.log_noise_variance = blur;
    least = std::min(least, NaiveDivergence(situation.places, values, own));
  }
  const double actual = LearntRemark(*transfer, "empirical_divergence");
  EXPECT_NEAR(actual, least, 0.02 + 1e-3 * std::abs(least));
}

TEST(Pretrained, FitsTheTargetWithWhatWasLearntAndNothingElse) {
  const Situation situation(Waves(4, 20), Sampled(Bowl, 2, 8, 1));
  for (const PretrainedOptions& options : AllPretrainedOptions()) {
    const auto transfer = Pretrained(options, situation);
    for (const HyperparameterBelief& belief : transfer->model().beliefs) {
      EXPECT_TRUE(belief.is_fixed());
    }
    const Hyperparameters learnt = LearntBy(*transfer);
    const PointMatrix at = RandomPoints(situation.kinds, 20, 3);
    const auto mean = [&learnt](const PointMatrix& x) {
      Vector value = Vector::Constant(x.rows(), learnt.mean);
      for (Index d = 0; d < learnt.weights.size(); ++d) {
        value.array() += learnt.weights[d] * (x.col(d).array() - 0.5);
      }
      return value;
    };
    Matrix k = NaiveMatern(learnt.kernel, situation.target.x, situation.target.x);
    k.diagonal().array() += std::exp(learnt.log_noise_variance);
    const Matrix cross = NaiveMatern(learnt.kernel, situation.target.x, at);
    const Matrix solved = DenseSolve(k, cross);
    const Vector expected =
        mean(at) + solved.transpose() * (situation.target.y - mean(situation.target.x));
    const Vector variance = std::exp(2 * learnt.kernel[0]) -
                            cross.cwiseProduct(solved).colwise().sum().transpose().array();
    const auto surrogate = transfer->Fit(learnt).value();
    const Predictions actual = surrogate->Predict(at);
    EXPECT_LT((actual.mean - expected).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((actual.variance - variance).cwiseAbs().maxCoeff(), 1e-7);
    ExpectConsistent(*surrogate, at);
    ExpectConsistent(*surrogate->Fantasize(RandomPoints(situation.kinds, 2, 4)).value(), at);
  }
}

// What a calibration sees is the likelihood of what Fit builds.
TEST(Pretrained, ItsLikelihoodIsThatOfTheProcess) {
  const Situation situation(Waves(4, 20), Sampled(Bowl, 2, 8, 1));
  const auto transfer = Pretrained(LinearOptions(), situation);
  const Hyperparameters learnt = LearntBy(*transfer);
  ASSERT_EQ(learnt.weights.size(), 2);
  ASSERT_GT(learnt.weights.cwiseAbs().maxCoeff(), 1e-3);
  const auto likelihood =
      LogMarginalLikelihood(*transfer->model().kernel, transfer->data(), learnt);
  ASSERT_TRUE(likelihood.ok()) << likelihood.status();
  const auto surrogate = transfer->Fit(learnt).value();
  EXPECT_NEAR(likelihood->value, LogLikelihoodOf(dynamic_cast<GaussianProcess&>(*surrogate)), 1e-8);
}

TEST(Pretrained, BelievesOfAnExactTargetThatItIsExact) {
  const Situation situation(Waves(4, 20), Sampled(Bowl, 2, 8, 1));
  PriorInput input = situation.input();
  input.model.noiseless = true;
  const auto transfer = MakePretrained(PretrainedOptions())->Combine(input).value();
  const Hyperparameters learnt = LearntBy(*transfer);
  EXPECT_TRUE(transfer->model().beliefs[3].is_fixed());
  EXPECT_EQ(learnt.log_noise_variance, std::log(1e-8));
  const auto noisy = Pretrained(PretrainedOptions(), situation);
  EXPECT_EQ(learnt.kernel, LearntBy(*noisy).kernel);
}

TEST(Pretrained, GivesAllSourcesTheSameShare) {
  for (const size_t count : {1, 3, 100}) {
    const Situation situation(Waves(count, 6), Sampled(Wave, 2, 4, 1));
    const auto transfer = Pretrained(PretrainedOptions(), situation);
    const Vector shares = transfer->Shares(LearntBy(*transfer));
    ASSERT_EQ(shares.size(), static_cast<Index>(count));
    EXPECT_LE(shares.sum(), 1 + 1e-12);
    EXPECT_EQ(shares.minCoeff(), shares.maxCoeff());
    EXPECT_GT(shares[0], 0);
  }
}

TEST(Pretrained, IsTheSameEveryTimeWhateverIsRemembered) {
  const TrainingData target = Sampled(Wave, 2, 5, 1);
  const Situation first(Waves(3, 15), target);
  const Situation second({SourceOf("b", Bowl, 2, 20, 4), SourceOf("c", Wave, 2, 20, 5)}, target);
  const Situation elsewhere(first.sources, target, 50);
  for (const PretrainedOptions& options : AllPretrainedOptions()) {
    const auto prior = MakePretrained(options);
    for (int round = 0; round < 2; ++round) {
      for (const Situation* situation : {&first, &second, &elsewhere}) {
        const auto remembered = prior->Combine(situation->input()).value();
        const auto fresh = Pretrained(options, *situation);
        EXPECT_EQ(LearntBy(*remembered).Packed(), LearntBy(*fresh).Packed());
        EXPECT_EQ(remembered->Remarks(LearntBy(*fresh)), fresh->Remarks(LearntBy(*fresh)));
      }
    }
  }
}

TEST(Pretrained, KeepsApartWhatItLearntUnderOtherBeliefs) {
  const Situation situation(Waves(3, 15), Sampled(Wave, 2, 5, 1));
  PriorInput given = situation.input();
  given.model.given.lengthscale = 0.05;
  PriorInput with_gamma = situation.input();
  with_gamma.model.gamma.rate = 10;
  PriorInput less_noise = situation.input();
  less_noise.model.noise.location = -9;
  for (const PriorInput* input : {&given, &with_gamma, &less_noise}) {
    const auto prior = MakePretrained(PretrainedOptions());
    ASSERT_TRUE(prior->Combine(*input).ok());
    EXPECT_EQ(LearntBy(*prior->Combine(situation.input()).value()).Packed(),
              LearntBy(*Pretrained(PretrainedOptions(), situation)).Packed());
  }
}

TEST(Pretrained, HasLearntOncePrepared) {
  ExpectIsPreparedAhead([] { return MakePretrained(PretrainedOptions()); }, 8);
}

TEST(Pretrained, ForgetsSourcesThatAreGone) {
  const auto prior = MakePretrained(PretrainedOptions());
  for (uint64_t round = 0; round < 12; ++round) {  // Addresses are likely used again.
    const Situation situation({SourceOf("a", Wave, 2, 8 + static_cast<Index>(round), round)},
                              Sampled(Wave, 2, 3, 1));
    const auto remembered = prior->Combine(situation.input()).value();
    EXPECT_EQ(LearntBy(*remembered).Packed(),
              LearntBy(*Pretrained(PretrainedOptions(), situation)).Packed());
  }
}

TEST(Pretrained, ServesManyStudiesAtOnce) {
  const auto prior = MakePretrained(PretrainedOptions());
  const TrainingData target = Sampled(Wave, 2, 5, 1);
  const Situation first(Waves(3, 10), target);
  const Situation second(Waves(2, 10), target);
  const Vector expected[] = {LearntBy(*Pretrained(PretrainedOptions(), first)).Packed(),
                             LearntBy(*Pretrained(PretrainedOptions(), second)).Packed()};
  std::vector<Vector> actual(6);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < actual.size(); ++i) {
    threads.emplace_back([&, i] {
      const Situation& situation = i % 2 == 0 ? first : second;
      actual[i] = LearntBy(*prior->Combine(situation.input()).value()).Packed();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i], expected[i % 2]);
}

// What is learnt does not depend on the target.
TEST(Pretrained, LearnsFromTheSourcesAlone) {
  const SourceModels sources = Waves(3, 15);
  for (const PretrainedOptions& options : AllPretrainedOptions()) {
    const Situation none(sources, Sampled(Wave, 2, 0, 1));
    const Situation one(sources, Sampled(Bowl, 2, 1, 2));
    const Situation more(sources, Sampled(Bowl, 2, 12, 2), 64, 99);
    const auto without = Pretrained(options, none);
    for (const Situation* situation : {&one, &more}) {
      const auto with = Pretrained(options, *situation);
      EXPECT_EQ(LearntBy(*with).Packed(), LearntBy(*without).Packed());
      ExpectConsistent(*with->Fit(LearntBy(*with)).value(), RandomPoints(none.kinds, 5, 3));
    }
    ExpectConsistent(*without->Fit(LearntBy(*without)).value(), RandomPoints(none.kinds, 5, 3));
  }
}

TEST(Pretrained, CalibratesToTheFirstResultsOnly) {
  const Situation situation(Waves(3, 15), Sampled(Bowl, 2, 9, 2));
  PriorInput input = situation.input();
  input.calibrated_results = 4;
  const auto transfer = MakePretrained(LinearOptions())->Combine(input).value();
  EXPECT_EQ(transfer->data().y.size(), 4);
  ASSERT_EQ(transfer->data().terms.size(), 2U);
  EXPECT_EQ(transfer->data().terms[0].mean.size(), 4);
  const auto surrogate = transfer->Fit(LearntBy(*transfer)).value();
  EXPECT_EQ(dynamic_cast<GaussianProcess&>(*surrogate).size(), 9);
}

SourceModels HardSources() {
  TrainingData flat = Sampled(Wave, 2, 12, 3);
  flat.y.setZero();
  TrainingData twice = Sampled(Wave, 2, 12, 4);
  twice.x.bottomRows(6) = twice.x.topRows(6);
  return {SourceOf("one", Wave, 2, 1, 1), SourceOf("flat", flat), SourceOf("twice", twice)};
}

TEST(Pretrained, LivesWithHardSources) {
  const SourceModels hard = HardSources();
  std::vector<SourceModels> choices = {hard, Waves(100, 3)};
  for (const auto& source : hard) choices.push_back({source});
  for (const PretrainedOptions& options : AllPretrainedOptions()) {
    for (const SourceModels& sources : choices) {
      const Situation situation(sources, Sampled(Wave, 2, 5, 1));
      const auto transfer = Pretrained(options, situation);
      ASSERT_TRUE(LearntBy(*transfer).Packed().allFinite());
      const auto surrogate = transfer->Fit(LearntBy(*transfer));
      ASSERT_TRUE(surrogate.ok()) << surrogate.status();
      // The shortest lengthscales make steep slopes.
      ExpectConsistent(**surrogate, RandomPoints(situation.kinds, 5, 3), 1e-3);
    }
  }
}

TEST(Pretrained, GivesWordsNoSlope) {
  const CoordinateKinds kinds = {CoordinateKind::kNumber, CoordinateKind::kWord};
  SourceModels sources;
  for (uint64_t i = 0; i < 4; ++i) {
    TrainingData data{RandomPoints(kinds, 20, i), Vector(20), Vector::Ones(20)};
    data.y = 3 * data.x.col(0) + 2 * data.x.col(1) + RandomVector(20, -0.2, 0.2, i);
    data.y.array() -= data.y.mean();
    sources.push_back(SourceOf("a", std::move(data)));
  }
  TrainingData target{RandomPoints(kinds, 6, 9), RandomVector(6, -1, 1, 9), Vector::Ones(6)};
  const PointMatrix places = RandomPoints(kinds, 30, 10);
  const PriorInput input{kinds, target, sources, ModelOptions(), Places(places), {}};
  const auto transfer = MakePretrained(LinearOptions())->Combine(input).value();
  const Hyperparameters learnt = LearntBy(*transfer);
  EXPECT_GT(learnt.weights[0], 1);
  EXPECT_EQ(learnt.weights[1], 0);
  const auto surrogate = transfer->Fit(learnt).value();
  EXPECT_EQ(surrogate->PredictPoint(Vector{{0.3, 0.5}}).mean_gradient[1], 0);
}

TEST(Pretrained, LearnsFromATableWithOneOfEachStretch) {
  SourceModels sources;
  for (uint64_t k = 0; k < 3; ++k) {
    TrainingData data{PointMatrix(400, 2), Vector(400), Vector::Ones(400)};
    for (Index i = 0; i < 400; ++i) {
      data.x(i, 0) = static_cast<double>(i / 20) / 19;
      data.x(i, 1) = static_cast<double>(i % 20) / 19;
      data.y[i] = std::sin(9 * data.x(i, 1) + static_cast<double>(k)) * std::sqrt(2);
    }
    sources.push_back(SourceOf("table", std::move(data)));
  }
  const Situation situation(sources, Sampled(Wave, 2, 5, 1));
  for (const PretrainedOptions& options : {PretrainedOptions(), DivergenceOptions()}) {
    const auto transfer = Pretrained(options, situation);
    EXPECT_EQ(LearntRemark(*transfer, "pretraining_points"), 300);
    const Hyperparameters learnt = LearntBy(*transfer);
    EXPECT_GT(learnt.kernel[1], learnt.kernel[2] + 1);
  }
}

}  // namespace
}  // namespace slipstream
