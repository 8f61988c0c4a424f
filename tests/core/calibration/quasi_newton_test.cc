#include <cmath>
#include <limits>
#include <memory>

#include "core/calibration/calibration.h"
#include "core/calibration/posterior.h"
#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"

namespace slipstream {
namespace {

std::unique_ptr<Calibration> Maximizer(bool with_beliefs, const QuasiNewtonOptions& options) {
  return with_beliefs ? MakeMaximumPosterior(options) : MakeMaximumLikelihood(options);
}

QuasiNewtonOptions Patient() {
  QuasiNewtonOptions options;
  options.screened_starts = 8;
  options.ascents = 8;
  options.max_evaluations = 500;
  options.value_tolerance = 1e-9;
  return options;
}

void ExpectReachesTheOptimum(const Model& model, const TrainingData& data, bool with_beliefs,
                             int restarts) {
  const NaiveOptimum optimum = MaximizeNaively(model, data, with_beliefs, restarts);
  const auto patient = Maximizer(with_beliefs, Patient())->Calibrate(model, {data});
  ASSERT_TRUE(patient.ok()) << patient.status();
  EXPECT_GT(patient->log_posterior, optimum.value - 1e-3) << optimum.packed.transpose();
  if (!with_beliefs) return;  // Few ascents may end in a lesser optimum of the likelihood.
  const auto usual = MakeMaximumPosterior({})->Calibrate(model, {data});
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_GT(usual->log_posterior, optimum.value - 0.1) << optimum.packed.transpose();
}

TEST(MaximumPosterior, ReachesTheOptimumInOneDimension) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    ExpectReachesTheOptimum(SmoothModel(1), SampleData(10, 1, 0.2, seed), true, 6);
  }
}

TEST(MaximumPosterior, ReachesTheOptimumInTwoDimensions) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    ExpectReachesTheOptimum(SmoothModel(2), SampleData(14, 2, 0.1, seed), true, 6);
  }
}

TEST(MaximumLikelihood, ReachesTheOptimumInOneDimension) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    ExpectReachesTheOptimum(SmoothModel(1), SampleData(14, 1, 0.3, seed), false, 6);
  }
}

TEST(MaximumLikelihood, ReachesTheOptimumInTwoDimensions) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    ExpectReachesTheOptimum(SmoothModel(2), SampleData(20, 2, 0.3, seed), false, 6);
  }
}

// Flat at first, with a wave and a half towards the end of the interval.
TEST(MaximumPosterior, LearnsACurveForAFunctionThatIsNotAlikeEverywhere) {
  TrainingData data{PointMatrix(24, 1), Vector(24), Vector::Ones(24)};
  for (Index i = 0; i < 24; ++i) {
    data.x(i, 0) = (static_cast<double>(i) + 0.5) / 24;
    data.y[i] = 1.3 * std::sin(9 * std::pow(data.x(i, 0), 4));
  }
  const auto log_posterior = [&](bool warps_inputs, Vector* packed) {
    ModelOptions options;
    options.warps_inputs = warps_inputs;
    const Model model = DefaultModel(Numbers(1), options);
    const auto calibrated = MakeMaximumPosterior({})->Calibrate(model, {data});
    EXPECT_TRUE(calibrated.ok()) << calibrated.status();
    *packed = calibrated->members.front().Packed();
    Vector gradient = Vector::Zero(packed->size());
    const auto value = LogMarginalLikelihood(*model.kernel, data, calibrated->members.front());
    return value->value + model.LogBelief(*packed, gradient);
  };
  Vector straight;
  Vector bent;
  EXPECT_GT(log_posterior(true, &bent), log_posterior(false, &straight) + 3);
  // x^a is steep where a is large and x near 1.
  EXPECT_GT(bent[2], std::log(1.5));
}

TEST(MaximumPosterior, IsTheHighestPointOfAGrid) {
  Model model = SmoothModel(1);
  Fix(model, 2, std::log(0.01));
  Fix(model, 3, 0);
  const TrainingData data = SampleData(9, 1, 0.1, 8);
  double highest = -std::numeric_limits<double>::infinity();
  Vector where(4);
  for (double amplitude = -3.5; amplitude <= 3.4; amplitude += 0.05) {
    for (double lengthscale = -4.6; lengthscale <= 6.9; lengthscale += 0.05) {
      const Vector place{{amplitude, lengthscale, std::log(0.01), 0}};
      const double value = NaiveLogLikelihood(data, place) + NaiveLogBelief(model, place);
      if (value > highest) {
        highest = value;
        where = place;
      }
    }
  }
  const auto calibrated = MakeMaximumPosterior(Patient())->Calibrate(model, {data});
  ASSERT_TRUE(calibrated.ok());
  EXPECT_GE(calibrated->log_posterior, highest);
  EXPECT_LT((calibrated->members[0].Packed() - where).cwiseAbs().maxCoeff(), 0.05);
}

TEST(MaximumPosterior, StaysWhereBeliefsAreFirm) {
  Model model = SmoothModel(1);
  for (HyperparameterBelief& belief : model.beliefs) belief.deviation = 1e-3;
  const auto calibrated = MakeMaximumPosterior({})->Calibrate(model, {SampleData(20, 1, 0.1, 3)});
  ASSERT_TRUE(calibrated.ok());
  EXPECT_LT((calibrated->members[0].Packed() - model.Location()).cwiseAbs().maxCoeff(), 0.01);
}

TEST(MaximumPosterior, FollowsBeliefsWhereTheLikelihoodDoesNot) {
  Model model = SmoothModel(1);
  const TrainingData data = SampleData(20, 1, 0.1, 3);
  const auto usual = MakeMaximumPosterior(Patient())->Calibrate(model, {data});
  model.beliefs[1].location = 2;
  model.beliefs[1].deviation = 0.1;
  const auto longer = MakeMaximumPosterior(Patient())->Calibrate(model, {data});
  const auto likelihood = MakeMaximumLikelihood(Patient())->Calibrate(model, {data});
  ASSERT_TRUE(usual.ok() && longer.ok() && likelihood.ok());
  EXPECT_GT(longer->members[0].kernel[1], usual->members[0].kernel[1] + 0.5);
  EXPECT_GT(longer->members[0].kernel[1], likelihood->members[0].kernel[1] + 0.5);
}

TEST(MaximumLikelihood, StopsAtTheBounds) {
  Model model = SmoothModel(1);
  const TrainingData data = SampleData(20, 1, 0.1, 3);
  const auto free = MakeMaximumLikelihood(Patient())->Calibrate(model, {data});
  ASSERT_TRUE(free.ok());
  const double optimum = free->members[0].kernel[1];
  model.beliefs[1].lower = optimum + 0.5;
  model.beliefs[1].upper = optimum + 1.5;
  const auto bounded = MakeMaximumLikelihood(Patient())->Calibrate(model, {data});
  ASSERT_TRUE(bounded.ok());
  EXPECT_NEAR(bounded->members[0].kernel[1], optimum + 0.5, 1e-6);
}

TEST(MaximumPosterior, OfOneResultStaysNearTheBeliefs) {
  const Model model = SmoothModel(1);
  const TrainingData data{PointMatrix::Constant(1, 1, 0.5), Vector::Zero(1), Vector::Ones(1)};
  const auto calibrated = MakeMaximumPosterior(Patient())->Calibrate(model, {data});
  ASSERT_TRUE(calibrated.ok());
  // One result says nothing about lengthscales.
  EXPECT_NEAR(calibrated->members[0].kernel[1], model.Location()[1], 1e-2);
  EXPECT_NEAR(calibrated->members[0].mean, 0, 1e-2);
}

TEST(MaximumPosterior, CountsAMeanOfManyResultsForMore) {
  const Model model = SmoothModel(1);
  TrainingData data = SampleData(30, 1, 0.5, 3);
  const auto once = MakeMaximumPosterior(Patient())->Calibrate(model, {data});
  data.repeats.setConstant(10);
  const auto ten = MakeMaximumPosterior(Patient())->Calibrate(model, {data});
  ASSERT_TRUE(once.ok() && ten.ok());
  EXPECT_GT(ten->members[0].log_noise_variance, once->members[0].log_noise_variance + 0.5);
}

TEST(MaximumPosterior, AWarmStartComesNearTheColdOne) {
  const Model model = SmoothModel(2);
  for (unsigned seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const TrainingData data = SampleData(200, 2, 0.2, seed);
    QuasiNewtonOptions cold_options;
    cold_options.warm_start_above = 1000;
    const auto cold = MakeMaximumPosterior(cold_options)->Calibrate(model, {data});
    const auto warm = MakeMaximumPosterior({})->Calibrate(model, {data});
    ASSERT_TRUE(cold.ok() && warm.ok());
    EXPECT_GT(warm->log_posterior, cold->log_posterior - 0.5);
    Vector gradient(5);
    const auto value = LogPosterior(model, data, true)(warm->members[0].Packed(), gradient);
    EXPECT_NEAR(warm->log_posterior, value.value_or(0), 1e-9 * std::fabs(warm->log_posterior));
  }
}

TEST(MaximumPosterior, AWarmStartDoesNotHideAnImpossibleResult) {
  const Model model = SmoothModel(1);
  TrainingData data = SampleData(40, 1, 0.2, 1);
  QuasiNewtonOptions options;
  options.warm_start_above = 30;
  options.warm_start_points = 10;  // Every fourth one.
  data.y[4] = std::numeric_limits<double>::quiet_NaN();
  const auto calibrated = MakeMaximumPosterior(options)->Calibrate(model, {data});
  EXPECT_EQ(calibrated.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace slipstream
