#include "core/prior/cluster/barycenter.h"


#include "gtest/gtest.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/cluster/naive_cluster.h"

namespace slipstream {
namespace {

std::vector<PlacedNormal> SomeNormals(Index size, uint64_t count) {
  std::vector<PlacedNormal> normals;
  for (uint64_t i = 0; i < count; ++i) {
    const NaiveNormal normal = RandomNormal(size, 10 + i, 0.3 + 0.2 * static_cast<double>(i));
    normals.push_back(PlacedNormal::Of(normal.mean, normal.covariance).value());
  }
  return normals;
}

std::vector<const PlacedNormal*> Pointers(const std::vector<PlacedNormal>& normals) {
  std::vector<const PlacedNormal*> pointers;
  for (const PlacedNormal& normal : normals) pointers.push_back(&normal);
  return pointers;
}

TEST(WassersteinBarycenter, IsTheRootOfThePapersEquation) {
  for (const Index size : {1, 2, 12, 40}) {
    const std::vector<PlacedNormal> normals = SomeNormals(size, 4);
    BarycenterOptions options;
    options.tolerance = 1e-12;
    options.most_rounds = 200;
    const Barycenter found = WassersteinBarycenter(Pointers(normals), options).value();
    EXPECT_TRUE(found.converged);
    const Matrix root = NaiveRoot(found.covariance);
    Matrix mean = Matrix::Zero(size, size);
    Vector mean_of_means = Vector::Zero(size);
    for (const PlacedNormal& normal : normals) {
      mean += NaiveRoot(root * normal.covariance() * root) / 4;
      mean_of_means += normal.mean() / 4;
    }
    EXPECT_LT((mean - found.covariance).norm(), 1e-8 * mean.norm());
    EXPECT_LT((mean_of_means - found.mean).norm(), 1e-12);
    const Barycenter usual = WassersteinBarycenter(Pointers(normals)).value();
    EXPECT_TRUE(usual.converged);
    EXPECT_LT(usual.rounds, 30);
    EXPECT_LT((usual.covariance - found.covariance).norm(), 1e-5 * mean.norm());
  }
}

// The textbook's iteration, with roots in the place of factors.
TEST(WassersteinBarycenter, GoesTheWayOfTheFixedPointWithRoots) {
  const std::vector<PlacedNormal> normals = SomeNormals(9, 3);
  Matrix s = (normals[0].covariance() + normals[1].covariance() + normals[2].covariance()) / 3;
  for (int round = 1; round <= 3; ++round) {
    const Matrix root = NaiveRoot(s);
    const Matrix inverse = DenseInverse(root);
    Matrix sum = Matrix::Zero(9, 9);
    for (const PlacedNormal& normal : normals) {
      sum += NaiveRoot(root * normal.covariance() * root) / 3;
    }
    s = inverse * sum * sum * inverse;
    BarycenterOptions options;
    options.tolerance = 0;
    options.most_rounds = round;
    const Barycenter found = WassersteinBarycenter(Pointers(normals), options).value();
    EXPECT_FALSE(found.converged);
    EXPECT_LT((found.covariance - s).norm(), 1e-9 * s.norm()) << round;
  }
}

// Covariances that commute have the mean of their roots.
TEST(WassersteinBarycenter, OfDiagonalsIsTheSquareOfTheMeanDeviation) {
  const PlacedNormal a = PlacedNormal::Of(Vector::Zero(2), Vector{{1, 4}}.asDiagonal()).value();
  const PlacedNormal b = PlacedNormal::Of(Vector::Ones(2), Vector{{9, 4}}.asDiagonal()).value();
  const Barycenter found = WassersteinBarycenter({&a, &b}).value();
  EXPECT_NEAR(found.covariance(0, 0), 4, 2e-3);
  EXPECT_NEAR(found.covariance(1, 1), 4, 2e-3);
  EXPECT_NEAR(found.covariance(0, 1), 0, 1e-9);
  EXPECT_NEAR(found.mean[0], 0.5, 1e-12);
}

TEST(WassersteinBarycenter, OfOneIsThatOne) {
  const std::vector<PlacedNormal> normals = SomeNormals(5, 1);
  const Barycenter found = WassersteinBarycenter(Pointers(normals)).value();
  EXPECT_EQ(found.covariance, normals[0].covariance());
  EXPECT_EQ(found.mean, normals[0].mean());
  EXPECT_TRUE(found.converged);
}

}  // namespace
}  // namespace slipstream
