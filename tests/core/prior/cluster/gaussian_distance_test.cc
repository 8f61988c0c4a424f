#include "core/prior/cluster/gaussian_distance.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/core/prior/cluster/naive_cluster.h"

namespace slipstream {
namespace {

PlacedNormal Placed(const NaiveNormal& normal) {
  return PlacedNormal::Of(normal.mean, normal.covariance).value();
}

NaiveNormal Ridged(NaiveNormal normal) {
  normal.covariance.diagonal().array() += 1e-4 * normal.covariance.diagonal().mean();
  return normal;
}

TEST(GaussianDistance, AreThePapersEquations) {
  for (const Index size : {1, 2, 7, 30}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const NaiveNormal p = RandomNormal(size, seed);
      const NaiveNormal q = RandomNormal(size, seed + 50, 0.4);
      const PlacedNormal a = Placed(p);
      const PlacedNormal b = Placed(q);
      const double jeffreys = NaiveJeffreys(Ridged(p), Ridged(q));
      const double wasserstein = NaiveWasserstein(Ridged(p), Ridged(q));
      EXPECT_NEAR(JeffreysDivergence(a, b) / jeffreys, 1, 1e-9);
      EXPECT_NEAR(WassersteinDistance(a, b), wasserstein, 1e-8 * wasserstein);
      EXPECT_NEAR(WassersteinDistance(b, a), wasserstein, 1e-8 * wasserstein);
      EXPECT_EQ(DistanceBetween(NormalDistance::kJeffreys, a, b), JeffreysDivergence(a, b));
      EXPECT_EQ(DistanceBetween(NormalDistance::kWasserstein, a, b), WassersteinDistance(a, b));
      const WassersteinBounds bounds = SquaredWassersteinBounds(a, b);
      EXPECT_LE(bounds.lower, wasserstein * wasserstein * (1 + 1e-9));
      EXPECT_GE(bounds.upper, wasserstein * wasserstein * (1 - 1e-9));
    }
  }
}

// For two numbers, W^2 = (m0 - m1)^2 + (s0 - s1)^2.
TEST(GaussianDistance, OfOnePlaceIsThatOfMeansAndDeviations) {
  const auto placed = [](double mean, double deviation) {
    return PlacedNormal::Of(Vector::Constant(1, mean),
                            Matrix::Constant(1, 1, deviation * deviation / (1 + 1e-4)))
        .value();
  };
  EXPECT_NEAR(WassersteinDistance(placed(1, 2), placed(4, 6)), 5, 1e-12);
  // [4/36 + 36/4 + 9/4 + 9/36] / 2 - 1.
  EXPECT_NEAR(JeffreysDivergence(placed(1, 2), placed(4, 6)), 4.805555555555555, 1e-12);
}

TEST(GaussianDistance, AreNoneBetweenANormalAndItself) {
  const PlacedNormal a = Placed(RandomNormal(40, 3));
  EXPECT_LT(JeffreysDivergence(a, a), 1e-9);
  EXPECT_LT(WassersteinDistance(a, a), 1e-4);
}

// A function that is known exactly, and one that is the same everywhere.
TEST(GaussianDistance, LivesWithSingularCovariances) {
  const Vector mean = Vector::LinSpaced(20, -1, 1);
  const PlacedNormal flat = PlacedNormal::Of(mean, Matrix::Ones(20, 20)).value();
  const PlacedNormal other = PlacedNormal::Of(-mean, 2 * Matrix::Ones(20, 20)).value();
  const double difference = std::sqrt(20.0) * (std::sqrt(2.0) - 1);
  const double expected = std::sqrt(4 * mean.squaredNorm() + difference * difference);
  EXPECT_NEAR(WassersteinDistance(flat, other), expected, 1e-3);
  EXPECT_TRUE(std::isfinite(JeffreysDivergence(flat, other)));
  const auto known = PlacedNormal::Of(mean, Matrix::Zero(20, 20));
  if (known.ok()) {
    EXPECT_TRUE(std::isfinite(WassersteinDistance(*known, other)));
  } else {
    EXPECT_EQ(known.status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(GaussianDistance, OfNoPlacesIsNone) {
  const PlacedNormal none = PlacedNormal::Of(Vector(0), Matrix(0, 0)).value();
  EXPECT_EQ(JeffreysDivergence(none, none), 0);
  EXPECT_EQ(WassersteinDistance(none, none), 0);
  EXPECT_EQ(SquaredWassersteinBounds(none, none).upper, 0);
}

TEST(GaussianDistance, RefusesWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(PlacedNormal::Of(Vector::Constant(2, inf), Matrix::Identity(2, 2)).ok());
  EXPECT_FALSE(PlacedNormal::Of(Vector::Zero(2), Matrix::Constant(2, 2, inf)).ok());
}

TEST(GaussianDistance, ACentreIsTheMeanOfMeansAndCovariances) {
  const PlacedNormal a = Placed(RandomNormal(6, 1));
  const PlacedNormal b = Placed(RandomNormal(6, 2));
  const PlacedNormal c = Placed(RandomNormal(6, 3));
  const PlacedNormal centre = PlacedNormal::CentreOf({&a, &b, &c}).value();
  EXPECT_LT((centre.mean() - (a.mean() + b.mean() + c.mean()) / 3).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((centre.covariance() - (a.covariance() + b.covariance() + c.covariance()) / 3)
                .cwiseAbs()
                .maxCoeff(),
            1e-14);
  EXPECT_NEAR(centre.trace(), centre.covariance().trace(), 1e-12);
}

}  // namespace
}  // namespace slipstream
