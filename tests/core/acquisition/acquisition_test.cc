#include "core/acquisition/acquisition.h"

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/gp/likelihood.h"
#include "gtest/gtest.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

PointMatrix RandomPoints(Index count, Index dimension, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform;
  PointMatrix x(count, dimension);
  for (Index i = 0; i < x.size(); ++i) x(i) = uniform(engine);
  return x;
}

// A process over the square that has seen nine results.
GaussianProcess MakeProcess(double log_lengthscale, double log_noise = -7) {
  TrainingData data;
  data.x = RandomPoints(9, 2, 11);
  data.y = (5 * data.x.col(0)).array().sin() + data.x.col(1).array();
  data.repeats = Vector::Ones(9);
  Hyperparameters hyperparameters;
  hyperparameters.kernel = Vector::Constant(3, log_lengthscale);
  hyperparameters.kernel[0] = 0.1;
  hyperparameters.log_noise_variance = log_noise;
  hyperparameters.mean = 0.2;
  auto process = FitProcess(MakeStationary(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach),
                            data, hyperparameters);
  return *std::move(process);
}

std::vector<GaussianProcess> ThreeProcesses() {
  std::vector<GaussianProcess> processes;
  for (double log_lengthscale : {-1.5, -0.8, 0.1}) {
    processes.push_back(MakeProcess(log_lengthscale));
  }
  return processes;
}

using Rules = std::vector<std::unique_ptr<AcquisitionRule>>;

// Rules of one kind, one a member, that differ.
Rules RulesOfKind(int kind, size_t count) {
  Rules rules;
  for (size_t i = 0; i < count; ++i) {
    const double level = 0.6 + 0.3 * static_cast<double>(i);
    switch (kind) {
      case 0:
        rules.push_back(MakeUpperConfidenceBound(level));
        break;
      case 1:
        rules.push_back(MakeExpectedImprovement(level));
        break;
      case 2:
        rules.push_back(MakeLogExpectedImprovement(level));
        break;
      default:
        rules.push_back(MakeProbabilityOfImprovement(level, 0.01));
    }
  }
  return rules;
}

std::vector<RuledSurrogate> Paired(const std::vector<GaussianProcess>& processes,
                                   const Rules& rules) {
  std::vector<RuledSurrogate> members;
  for (size_t i = 0; i < rules.size(); ++i) members.push_back({&processes[i], rules[i].get()});
  return members;
}

double NaiveAverage(const std::vector<RuledSurrogate>& members, const PointMatrix& x, Index i) {
  long double sum = 0;
  for (const RuledSurrogate& member : members) {
    const Predictions predictions = member.surrogate->Predict(x);
    const double value =
        member.rule->Evaluate(predictions.mean[i], std::sqrt(predictions.variance[i])).value;
    sum += member.rule->is_logarithmic() ? std::exp(static_cast<long double>(value)) : value;
  }
  sum /= static_cast<long double>(members.size());
  return static_cast<double>(members[0].rule->is_logarithmic() ? std::log(sum) : sum);
}

TEST(Acquisition, IsTheRulesMeanOverTheMembers) {
  const std::vector<GaussianProcess> processes = ThreeProcesses();
  const PointMatrix x = RandomPoints(40, 2, 3);
  for (int kind = 0; kind < 4; ++kind) {
    for (size_t count : {1, 2, 3}) {
      const Rules rules = RulesOfKind(kind, count);
      const std::vector<RuledSurrogate> members = Paired(processes, rules);
      const Vector values = Acquisition(members).Values(x);
      ASSERT_EQ(values.size(), x.rows());
      for (Index i = 0; i < x.rows(); ++i) {
        const double expected = NaiveAverage(members, x, i);
        EXPECT_NEAR(values[i], expected, 1e-10 * (1 + std::fabs(expected)))
            << "kind " << kind << " of " << count << " members at " << x.row(i);
      }
    }
  }
}

TEST(Acquisition, OnePointAtATimeGivesTheSameValues) {
  const std::vector<GaussianProcess> processes = ThreeProcesses();
  const PointMatrix x = RandomPoints(20, 2, 4);
  for (int kind = 0; kind < 4; ++kind) {
    const Rules rules = RulesOfKind(kind, 3);
    const Acquisition acquisition(Paired(processes, rules));
    const Vector values = acquisition.Values(x);
    Vector gradient(2);
    for (Index i = 0; i < x.rows(); ++i) {
      const double value = acquisition.ValueAndGradient(x.row(i).transpose(), gradient);
      EXPECT_NEAR(value, values[i], 1e-8 * (1 + std::fabs(value)));
    }
  }
}

TEST(Acquisition, HasNoPointsWhereThereAreNone) {
  const GaussianProcess process = MakeProcess(-1);
  const auto rule = MakeUpperConfidenceBound(1);
  EXPECT_EQ(Acquisition({{&process, rule.get()}}).Values(PointMatrix(0, 2)).size(), 0);
}

TEST(Acquisition, ItsGradientIsThatOfItsValues) {
  const std::vector<GaussianProcess> processes = ThreeProcesses();
  const PointMatrix centres = RandomPoints(15, 2, 5);
  for (int kind = 0; kind < 4; ++kind) {
    for (size_t count : {1, 3}) {
      const Rules rules = RulesOfKind(kind, count);
      const Acquisition acquisition(Paired(processes, rules));
      Vector gradient = Vector::Constant(2, 777);  // Must be overwritten.
      for (Index i = 0; i < centres.rows(); ++i) {
        const Vector x = centres.row(i).transpose();
        acquisition.ValueAndGradient(x, gradient);
        for (Index d = 0; d < 2; ++d) {
          const double step = 1e-5;
          PointMatrix sides(2, 2);
          sides.rowwise() = x.transpose();
          sides(0, d) += step;
          sides(1, d) -= step;
          const Vector values = acquisition.Values(sides);
          const double slope = (values[0] - values[1]) / (2 * step);
          EXPECT_NEAR(gradient[d], slope, 1e-5 * (1 + std::fabs(slope)))
              << "kind " << kind << " of " << count << " members at " << x.transpose();
        }
      }
    }
  }
}

TEST(Acquisition, AveragesLogarithmsWithoutUnderflow) {
  // So high an incumbent that every exponential is 0 in floating point.
  const std::vector<GaussianProcess> processes = ThreeProcesses();
  Rules rules;
  for (int i = 0; i < 3; ++i) rules.push_back(MakeLogExpectedImprovement(1000));
  const std::vector<RuledSurrogate> members = Paired(processes, rules);
  const PointMatrix x = RandomPoints(10, 2, 6);
  const Vector values = Acquisition(members).Values(x);
  Matrix single(10, 3);
  for (Index m = 0; m < 3; ++m) single.col(m) = Acquisition({members[m]}).Values(x);
  for (Index i = 0; i < x.rows(); ++i) {
    const double highest = single.row(i).maxCoeff();
    const double expected = highest + std::log((single.row(i).array() - highest).exp().mean());
    EXPECT_LT(highest, -1e4);
    EXPECT_NEAR(values[i], expected, 1e-9 * std::fabs(expected));
  }
}

// Predicts one thing everywhere.
class FixedPrediction : public Surrogate {
 public:
  FixedPrediction(double mean, double variance) : Surrogate(1), mean_(mean), variance_(variance) {}

 private:
  Predictions DoPredict(const PointMatrix& x) const override {
    return {Vector::Constant(x.rows(), mean_), Vector::Constant(x.rows(), variance_)};
  }
  PointPrediction DoPredictPoint(ConstVectorView) const override {
    return {mean_, variance_, Vector::Ones(1), Vector::Ones(1)};
  }
  Matrix DoJointCovariance(const PointMatrix& x) const override {
    return variance_ * Matrix::Identity(x.rows(), x.rows());
  }
  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix&) const override {
    return absl::UnimplementedError("not needed");
  }

  double mean_;
  double variance_;
};

// A logarithm that rules points out where the mean is negative, where its slope
// is infinite.
class RulingOut : public AcquisitionRule {
 public:
  bool is_logarithmic() const override { return true; }

 private:
  Utility DoEvaluate(double mean, double) const override {
    return mean < 0 ? Utility{-kInfinity, kInfinity, kInfinity}
                    : Utility{std::log1p(mean), 1 / (1 + mean), 0};
  }
};

TEST(Acquisition, IsNeverNotANumberHoweverExtremeThePredictions) {
  std::vector<std::unique_ptr<FixedPrediction>> surrogates;
  for (double mean : {-1e140, -1e9, -3.0, 0.0, 2.0, 1e9, 1e140}) {
    for (double variance : {1e-20, 1e-12, 1.0, 1e12}) {
      surrogates.push_back(std::make_unique<FixedPrediction>(mean, variance));
    }
  }
  const PointMatrix x = PointMatrix::Constant(2, 1, 0.5);
  Vector gradient(1);
  for (int kind = 0; kind < 4; ++kind) {
    const Rules rules = RulesOfKind(kind, 1);
    for (const auto& first : surrogates) {
      for (const auto& second : surrogates) {
        const Acquisition acquisition(
            {{first.get(), rules[0].get()}, {second.get(), rules[0].get()}});
        EXPECT_FALSE(acquisition.Values(x).hasNaN()) << kind;
        EXPECT_FALSE(std::isnan(acquisition.ValueAndGradient(x.row(0).transpose(), gradient)));
        EXPECT_FALSE(gradient.hasNaN()) << kind;
      }
    }
  }
}

TEST(Acquisition, RulesOutOnlyWhatAllMembersRuleOut) {
  const FixedPrediction bad(-1, 1);
  const FixedPrediction good(1, 1);
  const RulingOut rule;
  const PointMatrix x = PointMatrix::Constant(1, 1, 0.5);
  Vector gradient(1);
  const Acquisition all({{&bad, &rule}, {&bad, &rule}});
  EXPECT_EQ(all.Values(x)[0], -kInfinity);
  EXPECT_EQ(all.ValueAndGradient(x.row(0).transpose(), gradient), -kInfinity);
  EXPECT_FALSE(gradient.hasNaN());
  const Acquisition one({{&bad, &rule}, {&good, &rule}});
  EXPECT_NEAR(one.Values(x)[0], std::log(2.0 / 2), 1e-12);
  EXPECT_NEAR(one.ValueAndGradient(x.row(0).transpose(), gradient), std::log(2.0 / 2), 1e-12);
  EXPECT_NEAR(gradient[0], 0.5, 1e-12);
}

TEST(Incumbent, IsTheBestMean) {
  const GaussianProcess process = MakeProcess(-1);
  const PointMatrix x = RandomPoints(30, 2, 8);
  EXPECT_EQ(IncumbentOf(process, x), process.Predict(x).mean.maxCoeff());
  EXPECT_EQ(IncumbentOf(process, x.topRows(1)), process.Predict(x.topRows(1)).mean[0]);
}

TEST(Incumbent, IsTheBestResultWhereResultsAreExact) {
  const GaussianProcess process = MakeProcess(-1, std::log(1e-10));
  EXPECT_NEAR(IncumbentOf(process, process.observations().x), process.observations().y.maxCoeff(),
              1e-6);
}

TEST(MaxValueTarget, FromResultsIsTheBestAndAMargin) {
  EXPECT_DOUBLE_EQ(MaxValueTargetFromResults(Vector{{-0.5, 1.25, 0.5}}), 1.35);
  EXPECT_DOUBLE_EQ(MaxValueTargetFromResults(Vector::Constant(1, -3)), -2.9);
}

// Joint draws of a process at the points, made here: one a column.
Matrix NaiveDraws(const Surrogate& surrogate, const PointMatrix& x, Index count) {
  Matrix covariance = surrogate.JointCovariance(x);
  covariance.diagonal().array() += 1e-10;
  const Matrix root = DenseLowerFactor(covariance);
  std::mt19937_64 engine(99);
  std::normal_distribution<double> normal;
  Matrix standard(x.rows(), count);
  for (Index i = 0; i < standard.size(); ++i) standard(i) = normal(engine);
  return (root * standard).colwise() + surrogate.Predict(x).mean;
}

TEST(MaxValueTarget, FromDrawsIsTheMeanMaximum) {
  const GaussianProcess process = MakeProcess(-1.2);
  const PointMatrix x = RandomPoints(25, 2, 12);
  const Vector maxima = NaiveDraws(process, x, 40000).colwise().maxCoeff().transpose();
  const double expected = maxima.mean();
  const double deviation = std::sqrt((maxima.array() - expected).square().mean());
  Vector targets(60);
  for (Index seed = 0; seed < targets.size(); ++seed) {
    const auto target =
        MaxValueTargetFromDraws(process, x, -kInfinity, static_cast<uint64_t>(seed));
    ASSERT_TRUE(target.ok()) << target.status();
    targets[seed] = *target;
    EXPECT_NEAR(*target, expected, deviation);  // The target of a single draw.
  }
  const double spread = std::sqrt((targets.array() - targets.mean()).square().mean());
  EXPECT_GT(spread, 0);
  EXPECT_NEAR(targets.mean(), expected,
              5 * spread / std::sqrt(60.0) + 5 * deviation / std::sqrt(40000.0));
}

TEST(MaxValueTarget, FromDrawsIsAPureFunctionOfTheSeed) {
  const GaussianProcess process = MakeProcess(-1.2);
  const PointMatrix x = RandomPoints(25, 2, 12);
  const auto target = MaxValueTargetFromDraws(process, x, 0, 5);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(*MaxValueTargetFromDraws(process, x, 0, 5), *target);
  EXPECT_NE(*MaxValueTargetFromDraws(process, x, 0, 6), *target);
}

TEST(MaxValueTarget, FromDrawsIsNeverBelowTheIncumbent) {
  const GaussianProcess process = MakeProcess(-1.2);
  const PointMatrix x = RandomPoints(5, 2, 12);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const double free = *MaxValueTargetFromDraws(process, x, -kInfinity, seed);
    for (double incumbent : {free - 1, free + 1e-3, free + 50}) {
      EXPECT_GE(*MaxValueTargetFromDraws(process, x, incumbent, seed), incumbent);
    }
    EXPECT_EQ(*MaxValueTargetFromDraws(process, x, free + 50, seed), free + 50);
  }
}

// Where one joint draw is largest, which is what the acquisition "thompson" chooses.
absl::StatusOr<Index> ThompsonChoice(const Surrogate& surrogate, const PointMatrix& x,
                                     uint64_t seed) {
  const absl::StatusOr<Matrix> draw = DrawJointly(surrogate, x, 1, seed);
  if (!draw.ok()) return draw.status();
  Index best = 0;
  draw->col(0).maxCoeff(&best);
  return best;
}

TEST(ThompsonChoice, IsDistributedAsTheArgmaxOfThePosterior) {
  const GaussianProcess process = MakeProcess(-1.2);
  const PointMatrix x = RandomPoints(5, 2, 21);
  const Matrix draws = NaiveDraws(process, x, 200000);
  Vector shares = Vector::Zero(5);
  for (Index j = 0; j < draws.cols(); ++j) {
    Index best = 0;
    draws.col(j).maxCoeff(&best);
    shares[best] += 1.0 / static_cast<double>(draws.cols());
  }
  const int choices = 4000;
  Vector chosen = Vector::Zero(5);
  for (uint64_t seed = 0; seed < choices; ++seed) {
    const auto choice = ThompsonChoice(process, x, seed);
    ASSERT_TRUE(choice.ok()) << choice.status();
    ASSERT_GE(*choice, 0);
    ASSERT_LT(*choice, 5);
    chosen[*choice] += 1.0 / choices;
  }
  EXPECT_GT((shares.array() > 0.02).count(), 1);  // Else the example shows nothing.
  for (Index i = 0; i < 5; ++i) {
    const double error = std::sqrt(shares[i] * (1 - shares[i]) / choices);
    EXPECT_NEAR(chosen[i], shares[i], 5 * error + 2e-3) << i;
  }
}

TEST(ThompsonChoice, IsAPureFunctionOfTheSeed) {
  const GaussianProcess process = MakeProcess(-1.2);
  const PointMatrix x = RandomPoints(50, 2, 21);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(*ThompsonChoice(process, x, seed), *ThompsonChoice(process, x, seed));
  }
}

TEST(ThompsonChoice, OfOnePointIsThatPoint) {
  const GaussianProcess process = MakeProcess(-1.2);
  EXPECT_EQ(*ThompsonChoice(process, RandomPoints(1, 2, 3), 7), 0);
}

TEST(ThompsonChoice, CopesWithRepeatedPoints) {
  const GaussianProcess process = MakeProcess(-1.2);
  PointMatrix x(40, 2);
  x.rowwise() = RandomPoints(1, 2, 3).row(0);
  EXPECT_TRUE(ThompsonChoice(process, x, 7).ok());
  EXPECT_TRUE(MaxValueTargetFromDraws(process, x, 0, 7).ok());
}

}  // namespace
}  // namespace slipstream
