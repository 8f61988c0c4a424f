#include "core/gp/patched_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "core/gp/kernel.h"
#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"

namespace slipstream {
namespace {

constexpr Index kSize = 1500;

// Results of a function that the prior finds likely: its posterior mean at a few random results.
Observations SmoothObservations(const Believed& believed, Index count, uint64_t seed) {
  const GaussianProcess truth =
      Fitted(believed.prior, RandomObservations(believed.kinds, 40, seed + 1));
  Observations observations;
  observations.x = RandomPoints(believed.kinds, count, seed);
  observations.y = truth.PredictMean(observations.x);
  observations.noise_variance = Vector::Constant(count, 1e-6);
  return observations;
}

class PatchedProcessTest : public ::testing::Test {
 protected:
  std::unique_ptr<PatchedProcess> Patched() const {
    auto patched = PatchedProcess::Fit(believed_.prior, observations_,
                                       Fitted(believed_.prior, FirstOf(observations_, 200)));
    EXPECT_TRUE(patched.ok()) << patched.status();
    return *std::move(patched);
  }

  const Believed believed_ = BelievedOfEachKind().front();
  const Observations observations_ = SmoothObservations(believed_, kSize, 3);
  const PointMatrix places_ = RandomPoints(believed_.kinds, 40, 4);
};

TEST_F(PatchedProcessTest, OfFewObservationsItIsTheExactProcess) {
  int compared = 0;
  for (const Believed& believed : BelievedOfEachKind()) {
    const Observations few = RandomObservations(believed.kinds, PatchedProcess::kNearest, 8);
    const GaussianProcess exact = Fitted(believed.prior, few);
    const auto patched =
        PatchedProcess::Fit(believed.prior, few, Fitted(believed.prior, FirstOf(few, 10)));
    if (believed.prior->At(few.x) == nullptr) {
      EXPECT_TRUE(absl::IsFailedPrecondition(patched.status())) << believed.name;
      continue;
    }
    ASSERT_TRUE(patched.ok()) << patched.status();
    ++compared;
    const PointMatrix places = RandomPoints(believed.kinds, 30, 9);
    const Predictions expected = exact.Predict(places);
    const Predictions got = (*patched)->Predict(places);
    EXPECT_LE((got.mean - expected.mean).lpNorm<Eigen::Infinity>(), 1e-9) << believed.name;
    EXPECT_LE((got.variance - expected.variance).lpNorm<Eigen::Infinity>(), 1e-9) << believed.name;
  }
  EXPECT_GT(compared, 0);
}

TEST_F(PatchedProcessTest, OfManyItIsNearlyTheExactProcessAndCloserThanItsSample) {
  const GaussianProcess exact = Fitted(believed_.prior, observations_);
  const GaussianProcess sample = Fitted(believed_.prior, FirstOf(observations_, 200));
  const auto patched = Patched();
  const Predictions whole = exact.Predict(places_);
  const Predictions got = patched->Predict(places_);
  const Vector variance = believed_.prior->Variance(places_);
  for (Index i = 0; i < places_.rows(); ++i) {
    EXPECT_GE(got.variance[i], whole.variance[i] - 1e-6 * variance[i]);
    EXPECT_LE(got.variance[i], whole.variance[i] + 0.02 * variance[i]);
    const double allowed = 4 * std::sqrt(got.variance[i]) + 1e-3 * std::sqrt(variance[i]);
    EXPECT_NEAR(got.mean[i], whole.mean[i], allowed);
  }
  const double missed = (got.mean - whole.mean).norm();
  EXPECT_LT(missed, 0.5 * (sample.PredictMean(places_) - whole.mean).norm());
}

TEST_F(PatchedProcessTest, AnswersDoNotDependOnWhatWasAskedBefore) {
  const auto one = Patched();
  const auto other = Patched();
  const Predictions together = one->Predict(places_);
  for (Index i = places_.rows() - 2; i >= 0; --i) {
    const Predictions pair = other->Predict(places_.middleRows(i, 2));
    EXPECT_NEAR(pair.mean[0], together.mean[i], 1e-9);
    EXPECT_NEAR(pair.variance[0], together.variance[i], 1e-9);
    const PointMatrix place = places_.row(i);
    EXPECT_EQ(other->Predict(place).variance[0], one->Predict(place).variance[0]);
  }
}

TEST_F(PatchedProcessTest, OneBySinglePointsItIsCloserToTheExactProcessThanByPatches) {
  const GaussianProcess exact = Fitted(believed_.prior, observations_);
  const auto patched = Patched();
  const Predictions whole = exact.Predict(places_);
  const Predictions by_patches = patched->Predict(places_);
  Vector alone(places_.rows());
  for (Index i = 0; i < places_.rows(); ++i) {
    alone[i] = patched->Predict(places_.row(i)).variance[0];
    EXPECT_GE(alone[i], whole.variance[i] * (1 - 1e-6));
  }
  EXPECT_LT((alone - whole.variance).sum(), (by_patches.variance - whole.variance).sum());
}

TEST_F(PatchedProcessTest, PointPredictionsAgreeAndTheirGradientsAreSlopes) {
  constexpr double kStep = 1e-6;
  const auto patched = Patched();
  for (Index i = 0; i < 8; ++i) {
    const Vector place = places_.row(i).transpose();
    const PointPrediction there = patched->PredictPoint(place);
    const Predictions same = patched->Predict(places_.middleRows(i, 2));
    EXPECT_NEAR(there.mean, same.mean[0], 1e-9);
    EXPECT_NEAR(there.variance, same.variance[0], 1e-9);
    for (Index d = 0; d < place.size(); ++d) {
      if (believed_.kinds[static_cast<size_t>(d)] == CoordinateKind::kWord) {
        EXPECT_EQ(there.mean_gradient[d], 0);
        continue;
      }
      Vector up = place;
      Vector down = place;
      up[d] += kStep;
      down[d] -= kStep;
      const double slope =
          (patched->PredictPoint(up).mean - patched->PredictPoint(down).mean) / (2 * kStep);
      EXPECT_NEAR(there.mean_gradient[d], slope, 1e-3 * (1 + std::abs(slope)));
    }
  }
}

TEST_F(PatchedProcessTest, NearAPointItIsAProcessOfItsOwn) {
  const GaussianProcess exact = Fitted(believed_.prior, observations_);
  const auto patched = Patched();
  for (Index i = 0; i < 8; ++i) {
    const Vector place = places_.row(i).transpose();
    const std::unique_ptr<Surrogate> near = patched->Near(place);
    ASSERT_NE(near, nullptr);
    const PointPrediction there = near->PredictPoint(place);
    const double variance = believed_.prior->Variance(places_.topRows(1))[0];
    EXPECT_NEAR(there.variance, exact.PredictPoint(place).variance, 0.02 * variance);
  }
}

TEST_F(PatchedProcessTest, WhatItAbsorbsIsKnownThereAndLeavesMeans) {
  const auto patched = Patched();
  const auto untouched = Patched();
  const Predictions before = patched->Predict(places_);  // Some patches are fitted by now.
  const PointMatrix pending = places_.topRows(5);
  const auto absorbed = patched->Absorb(pending);
  ASSERT_TRUE(absorbed.ok());
  EXPECT_TRUE(*absorbed);
  const Predictions after = patched->Predict(places_);
  for (Index i = 0; i < places_.rows(); ++i) {
    EXPECT_NEAR(after.mean[i], before.mean[i], 1e-6);
    EXPECT_LE(after.variance[i], before.variance[i] * (1 + 1e-9));
  }
  for (Index i = 0; i < pending.rows(); ++i) {
    EXPECT_LT(after.variance[i], 0.02 * before.variance[i]);
    const auto near = patched->Near(pending.row(i).transpose());
    EXPECT_LT(near->PredictPoint(pending.row(i).transpose()).variance, 0.02 * before.variance[i]);
  }
  const auto fantasy = untouched->Fantasize(pending);
  ASSERT_TRUE(fantasy.ok());
  EXPECT_LE(((*fantasy)->Predict(places_).variance - after.variance).lpNorm<Eigen::Infinity>(),
            1e-9);
  EXPECT_EQ(untouched->Predict(places_).variance, before.variance);
}

// Also those that are far from the middle of their patch, as many are in more dimensions.
TEST(PatchedProcess, EveryPendingPointIsKnownToItsPatch) {
  constexpr Index kDimension = 6;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere;
  std::normal_distribution<double> normal;
  const auto around = [&](double deviation) {
    return std::clamp(0.6 + deviation * normal(random), 0.0, 1.0);
  };
  Observations observations{PointMatrix(kSize, kDimension), Vector(kSize),
                            Vector::Constant(kSize, 1e-4)};
  for (Index i = 0; i < kSize; ++i) {
    for (Index j = 0; j < kDimension; ++j) {
      observations.x(i, j) = i % 4 == 0 ? anywhere(random) : around(0.08);
    }
    observations.y[i] = std::sin(3 * observations.x.row(i).sum());
  }
  PointMatrix pending(60, kDimension);
  for (double& coordinate : pending.reshaped()) coordinate = around(0.12);
  const std::shared_ptr<const Kernel> kernel = MakeStationary(
      Smoothness::kMatern52, CoordinateKinds(kDimension, CoordinateKind::kNumber),
      Lengthscales::kEach);
  Vector parameters = Vector::Constant(kernel->parameter_count(), std::log(0.87));
  parameters[0] = 0;
  const auto prior = std::make_shared<const KernelPrior>(kernel, parameters, 0.0);
  const auto process =
      PatchedProcess::Fit(prior, observations, Fitted(prior, FirstOf(observations, 500)));
  ASSERT_TRUE(process.ok()) << process.status();
  const Vector before = (*process)->Predict(pending).variance;
  ASSERT_TRUE((*process)->Absorb(pending).ok());
  const Vector after = (*process)->Predict(pending).variance;
  for (Index i = 0; i < pending.rows(); ++i) EXPECT_LT(after[i], 0.1 * before[i]) << i;
}

// Whether patches were fitted before, or single points, makes no difference but for rounding.
TEST_F(PatchedProcessTest, PredictionsOfRememberedPointsAreKeptUpToDate) {
  const auto fresh = Patched();
  const auto early = Patched();
  const auto late = Patched();
  early->Remember(places_);
  late->Predict(places_);
  late->Remember(places_);
  const PointMatrix single = places_.row(7);
  const double before = late->Predict(single).variance[0];
  const PointMatrix pending = places_.middleRows(6, 3);
  for (Index i = 0; i < pending.rows(); ++i) {
    for (const auto& patched : {&fresh, &early, &late}) {
      const auto absorbed = (*patched)->Absorb(pending.row(i));
      ASSERT_TRUE(absorbed.ok() && *absorbed);
    }
    const Predictions expected = fresh->Predict(places_);
    for (const auto& patched : {&early, &late}) {
      const Predictions got = (*patched)->Predict(places_);
      EXPECT_LE((got.mean - expected.mean).lpNorm<Eigen::Infinity>(), 1e-9);
      EXPECT_LE((got.variance - expected.variance).lpNorm<Eigen::Infinity>(), 1e-9);
    }
  }
  const double after = late->Predict(single).variance[0];
  EXPECT_LT(after, 0.02 * before) << "the process that was fitted there knows the new point";
  EXPECT_NEAR(after, fresh->Predict(single).variance[0], 1e-9);
  const auto near = late->Near(single.row(0).transpose());
  EXPECT_EQ(near->Predict(single).variance[0], after);
}

TEST_F(PatchedProcessTest, JointCovariancesAreThoseOfTheSample) {
  const auto patched = Patched();
  const GaussianProcess sample = Fitted(believed_.prior, FirstOf(observations_, 200));
  EXPECT_EQ(patched->JointCovariance(places_), sample.JointCovariance(places_));
  const JointPredictions joint = patched->PredictJointly(places_);
  EXPECT_EQ(joint.at_points.mean, sample.PredictMean(places_));
}

TEST_F(PatchedProcessTest, OnceTheDeadlineHasPassedOnlyWhatIsFittedIsPredictedFromPatches) {
  const GaussianProcess sample = Fitted(believed_.prior, FirstOf(observations_, 200));
  const auto deadline = std::make_shared<Deadline>(Deadline::Passed());
  const auto patched = PatchedProcess::Fit(believed_.prior, observations_, sample,
                                           PatchedProcess::kMostFitted, deadline);
  ASSERT_TRUE(patched.ok()) << patched.status();
  const PointMatrix pair = places_.topRows(2);
  const Predictions rough = (*patched)->Predict(pair);
  EXPECT_LE((rough.mean - sample.PredictMean(pair)).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_LE((rough.variance - sample.Predict(pair).variance).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_GT((rough.mean - Patched()->PredictMean(pair)).lpNorm<Eigen::Infinity>(), 1e-6);
  *deadline = Deadline::Infinite();
  const Predictions in_time = (*patched)->Predict(pair);
  EXPECT_EQ(in_time.mean, Patched()->Predict(pair).mean);
  *deadline = Deadline::Passed();
  EXPECT_EQ((*patched)->Predict(pair).mean, in_time.mean);
  EXPECT_EQ((*patched)->Predict(pair).variance, in_time.variance);
}

TEST_F(PatchedProcessTest, RefusesWhatIsNotFinite) {
  Observations broken = observations_;
  broken.y[3] = std::numeric_limits<double>::infinity();
  const auto patched = PatchedProcess::Fit(believed_.prior, broken,
                                           Fitted(believed_.prior, FirstOf(observations_, 200)));
  EXPECT_EQ(patched.status().code(), absl::StatusCode::kFailedPrecondition);
  PointMatrix nowhere = places_.topRows(1);
  nowhere(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Patched()->Absorb(nowhere).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace slipstream
