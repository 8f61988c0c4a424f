// Tests of core/gp/product_kernel.cc, behind MakeProduct; kernel_test compares values and gradients
// with the definition.
#include <cmath>

#include "core/gp/kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<Kernel> Shared(Smoothness smoothness) {
  return MakeStationary(smoothness, Numbers(2), Lengthscales::kShared);
}

std::vector<std::unique_ptr<Kernel>> Pair(std::unique_ptr<Kernel> a, std::unique_ptr<Kernel> b) {
  std::vector<std::unique_ptr<Kernel>> parts;
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  return parts;
}

TEST(ProductKernel, NamesHyperparametersByThePartsPlaces) {
  const auto kernel = MakeProduct(
      Pair(MakeStationary(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach),
           MakeProduct(Pair(Shared(Smoothness::kMatern12), Shared(Smoothness::kMatern32)))));
  EXPECT_THAT(kernel->ParameterNames(),
              ElementsAre("0.amplitude", "0.lengthscale[0]", "0.lengthscale[1]", "1.0.amplitude",
                          "1.0.lengthscale", "1.1.amplitude", "1.1.lengthscale"));
}

TEST(ProductKernel, VariancesMultiply) {
  Vector parameters(4);
  parameters << std::log(2.0), 0, std::log(3.0), 0;
  EXPECT_NEAR(MakeProduct(Pair(Shared(Smoothness::kMatern52), Shared(Smoothness::kMatern12)))
                  ->Variance(parameters),
              4 * 9, 1e-13);
}

// Products must not divide by parts that have underflowed.
TEST(ProductKernel, GradientsOfAProductSurviveAPartThatIsZero) {
  const auto kernel =
      MakeProduct(Pair(Shared(Smoothness::kSquaredExponential), Shared(Smoothness::kMatern52)));
  Vector parameters(4);
  parameters << 0, std::log(1e-3), 0, 0;
  PointMatrix x(2, 2);
  x << 0, 0, 1, 1;
  const auto tape = kernel->Record(parameters, x);
  EXPECT_LE(tape->lower()(1, 0), 1e-300);
  Vector gradient = Vector::Zero(4);
  tape->AddParameterGradient(Matrix::Ones(2, 2), gradient);
  EXPECT_NEAR(gradient[0], 2 * 2, 1e-13);  // Twice the two variances of 1.
  EXPECT_LE(std::abs(gradient[1]), 1e-290);
  EXPECT_NEAR(gradient[2], 2 * 2, 1e-13);
  EXPECT_LE(std::abs(gradient[3]), 1e-290);
  Vector slope = Vector::Zero(2);
  kernel->AddPointGradient(parameters, x.row(0).transpose(), x, Vector::Ones(2), slope);
  EXPECT_LE(slope.cwiseAbs().maxCoeff(), 1e-290);
}

}  // namespace
}  // namespace slipstream
