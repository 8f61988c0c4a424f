#include "core/gp/local_process.h"

#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"

namespace slipstream {
namespace {

class LocalProcessTest : public ::testing::Test {
 protected:
  const Believed believed_ = BelievedOfEachKind().front();
  const GaussianProcess process_ =
      Fitted(believed_.prior, RandomObservations(believed_.kinds, 700, 3));
  const PointMatrix places_ = RandomPoints(believed_.kinds, 12, 4);
};

TEST_F(LocalProcessTest, HasTheWholeMeanAndNearlyTheWholeVariance) {
  const double prior_variance = believed_.prior->Variance(places_)[0];
  for (Index i = 0; i < places_.rows(); ++i) {
    const Vector place = places_.row(i).transpose();
    const auto local = LocalProcess::Around(process_, place);
    ASSERT_NE(local, nullptr);
    const PointPrediction near = local->PredictPoint(place);
    const PointPrediction whole = process_.PredictPoint(place);
    EXPECT_NEAR(near.mean, whole.mean, 1e-9);
    EXPECT_LE((near.mean_gradient - whole.mean_gradient).norm(),
              1e-8 * (1 + whole.mean_gradient.norm()));
    EXPECT_GE(near.variance, whole.variance - 1e-9 * prior_variance);
    EXPECT_LE(near.variance, whole.variance + 0.05 * prior_variance);
  }
}

TEST_F(LocalProcessTest, ItsGradientsAreSlopes) {
  constexpr double kStep = 1e-6;
  for (Index i = 0; i < places_.rows(); ++i) {
    const Vector place = places_.row(i).transpose();
    const auto local = LocalProcess::Around(process_, place);
    ASSERT_NE(local, nullptr);
    const PointPrediction there = local->PredictPoint(place);
    for (Index d = 0; d < place.size(); ++d) {
      Vector up = place;
      Vector down = place;
      up[d] += kStep;
      down[d] -= kStep;
      const PointPrediction above = local->PredictPoint(up);
      const PointPrediction below = local->PredictPoint(down);
      EXPECT_NEAR(there.mean_gradient[d], (above.mean - below.mean) / (2 * kStep), 1e-4);
      EXPECT_NEAR(there.variance_gradient[d], (above.variance - below.variance) / (2 * kStep),
                  1e-4);
    }
  }
}

TEST_F(LocalProcessTest, IsNotMadeOfASmallProcess) {
  const GaussianProcess small =
      Fitted(believed_.prior, RandomObservations(believed_.kinds, LocalProcess::kLeastSize - 1, 3));
  EXPECT_EQ(LocalProcess::Around(small, places_.row(0).transpose()), nullptr);
  EXPECT_EQ(small.Near(places_.row(0).transpose()), nullptr);
  EXPECT_NE(process_.Near(places_.row(0).transpose()), nullptr);
}

TEST_F(LocalProcessTest, LeavesTheRestToTheWholeProcess) {
  const auto local = LocalProcess::Around(process_, places_.row(0).transpose());
  ASSERT_NE(local, nullptr);
  EXPECT_EQ(local->Predict(places_).variance, process_.Predict(places_).variance);
  EXPECT_EQ(local->JointCovariance(places_), process_.JointCovariance(places_));
  EXPECT_TRUE(local->Fantasize(places_).ok());
}

}  // namespace
}  // namespace slipstream
