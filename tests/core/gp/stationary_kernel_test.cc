// Tests of core/gp/stationary_kernel.cc, behind MakeStationary.
#include <cmath>

#include "core/gp/kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;

using enum CoordinateKind;

PointMatrix Row(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size())).transpose();
}

TEST(StationaryKernel, NamesItsHyperparameters) {
  const CoordinateKinds kinds{kNumber, kWord, kNumber};
  EXPECT_THAT(MakeStationary(Smoothness::kMatern52, kinds, Lengthscales::kEach)->ParameterNames(),
              ElementsAre("amplitude", "lengthscale[0]", "lengthscale[1]", "lengthscale[2]"));
  EXPECT_THAT(MakeStationary(Smoothness::kMatern52, kinds, Lengthscales::kShared)->ParameterNames(),
              ElementsAre("amplitude", "lengthscale"));
}

// By hand: a = sqrt(5) * 0.5 / 2, amplitude 3.
TEST(StationaryKernel, HasTheValueOfAPocketCalculator) {
  const auto kernel = MakeStationary(Smoothness::kMatern52, {kNumber}, Lengthscales::kShared);
  Vector parameters(2);
  parameters << std::log(3.0), std::log(2.0);
  const double a = 0.5590169943749475;
  EXPECT_NEAR(kernel->Covariance(parameters, Row({0.1}), Row({0.6}))(0, 0),
              9 * (1 + a + a * a / 3) * std::exp(-a), 1e-14);
}

TEST(StationaryKernel, DoesNotCareHowFarApartTwoWordsAreListed) {
  const auto kernel = MakeStationary(Smoothness::kMatern32, {kWord, kNumber}, Lengthscales::kEach);
  const Vector parameters = Vector::Zero(3);
  const PointMatrix here = Row({0.1, 0.5});
  const double near = kernel->Covariance(parameters, here, Row({0.2, 0.5}))(0, 0);
  const double far = kernel->Covariance(parameters, here, Row({0.9, 0.5}))(0, 0);
  EXPECT_EQ(near, far);
  // One lengthscale of 1 apart, as two numbers would be at the ends of the unit interval.
  EXPECT_NEAR(near, kernel->Covariance(parameters, Row({0.1, 0}), Row({0.1, 1}))(0, 0), 1e-15);
}

TEST(StationaryKernel, AWordMovesNothingAlongItsCoordinate) {
  const auto kernel =
      MakeStationary(Smoothness::kSquaredExponential, {kWord, kNumber}, Lengthscales::kEach);
  Vector gradient = Vector::Zero(2);
  kernel->AddPointGradient(Vector::Zero(3), Row({0.1, 0.2}).row(0).transpose(), Row({0.9, 0.7}),
                           Vector::Ones(1), gradient);
  EXPECT_EQ(gradient[0], 0);
  EXPECT_GT(gradient[1], 0);
}

// Where k has a kink, as Matern 1/2 at b_i, only that term is left out.
TEST(StationaryKernel, LeavesOutOnlyTheTermWithoutADerivative) {
  const auto kernel = MakeStationary(Smoothness::kMatern12, {kNumber}, Lengthscales::kShared);
  PointMatrix b(2, 1);
  b << 0.25, 0.75;
  Vector weights(2);
  weights << 100, 1;
  Vector gradient = Vector::Zero(1);
  kernel->AddPointGradient(Vector::Zero(2), Vector::Constant(1, 0.25), b, weights, gradient);
  EXPECT_NEAR(gradient[0], std::exp(-0.5), 1e-14);
}

TEST(StationaryKernel, ALongLengthscaleMakesACoordinateIrrelevant) {
  const auto kernel = MakeStationary(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach);
  Vector parameters(3);
  parameters << 0, std::log(1e9), std::log(0.3);
  EXPECT_NEAR(kernel->Covariance(parameters, Row({0, 0.5}), Row({1, 0.5}))(0, 0), 1, 1e-15);
  EXPECT_LT(kernel->Covariance(parameters, Row({0, 0}), Row({0, 1}))(0, 0), 0.1);
}

}  // namespace
}  // namespace slipstream
