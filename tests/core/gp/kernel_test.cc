#include "core/gp/kernel.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/kernel_recipe.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {
namespace {

class KernelTest : public ::testing::TestWithParam<KernelRecipe> {
 protected:
  const KernelRecipe& recipe() const { return GetParam(); }
  Vector Parameters(uint64_t seed) const {
    return RandomVector(recipe().parameter_count, -1.2, 0.5, seed);
  }
  // Random ones, two of them the same and some with the same coordinates.
  PointMatrix Points(Index count, uint64_t seed) const {
    PointMatrix points = RandomPoints(recipe().kinds, count, seed);
    if (count > 3) points.row(2) = points.row(0);
    if (count > 3) points(3, 0) = points(1, 0);
    return points;
  }
  LongMatrix Oracle(const LongVector& parameters, const PointMatrix& a,
                    const PointMatrix& b) const {
    const std::vector<LongPoint> rows = ToLongPoints(a);
    const std::vector<LongPoint> columns = ToLongPoints(b);
    LongMatrix result(a.rows(), b.rows());
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < b.rows(); ++j) {
        result(i, j) = recipe().oracle(parameters, rows[static_cast<size_t>(i)].x,
                                       columns[static_cast<size_t>(j)].x);
      }
    }
    return result;
  }

  const std::unique_ptr<Kernel> kernel_ = GetParam().make();
};

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

TEST_P(KernelTest, CovariancesAreThoseOfTheDefinition) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Vector parameters = Parameters(seed);
    const PointMatrix a = Points(9, seed);
    PointMatrix b = Points(6, seed + 100);
    b.row(5) = a.row(4);
    const LongMatrix expected = Oracle(ToLong(parameters), a, b);
    EXPECT_LE(RelativeError(kernel_->Covariance(parameters, a, b), expected), 1e-13);
  }
}

TEST_P(KernelTest, TheVarianceIsTheCovarianceOfAPointWithItself) {
  const Vector parameters = Parameters(11);
  const PointMatrix x = Points(4, 11);
  const Matrix covariance = kernel_->Covariance(parameters, x, x);
  EXPECT_LE(RelativeError(kernel_->Variance(parameters),
                          Oracle(ToLong(parameters), x.topRows(1), x.topRows(1))(0, 0)),
            1e-14);
  for (Index i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(covariance(i, i), kernel_->Variance(parameters), 1e-14 * covariance(i, i));
  }
}

TEST_P(KernelTest, TheLowerTriangleAloneHasTheSameBits) {
  const Vector parameters = Parameters(31);
  for (Index count = 0; count < 40; ++count) {
    const PointMatrix x = Points(count, 31);
    const Matrix both = kernel_->Covariance(parameters, x, x);
    EXPECT_EQ(Symmetric(kernel_->LowerCovariance(parameters, x)), Symmetric(both)) << count;
  }
}

TEST_P(KernelTest, ATapeHoldsTheCovariancesOfOneSetOfPoints) {
  for (const Index count : {0, 1, 2, 7, 33, 70}) {
    const Vector parameters = Parameters(21);
    const PointMatrix x = Points(count, 21);
    const Matrix lower = kernel_->Record(parameters, x)->lower();
    EXPECT_LE(RelativeError(Symmetric(lower), Oracle(ToLong(parameters), x, x)), 1e-13) << count;
  }
}

TEST_P(KernelTest, ParameterGradientsAreThoseOfTheDefinition) {
  for (const Index count : {1, 2, 12, 40}) {
    const Vector parameters = Parameters(31);
    const PointMatrix x = Points(count, 31);
    Matrix weights = Symmetric(RandomPoints(Numbers(count), count, 32).array() - 0.5);
    const auto weighted_sum = [&](const LongVector& at) {
      const LongMatrix covariance = Oracle(at, x, x);
      long double sum = 0;
      for (Index i = 0; i < count; ++i) {
        for (Index j = 0; j < count; ++j) sum += weights(i, j) * covariance(i, j);
      }
      return sum;
    };
    LongVector expected;
    for (size_t p = 0; p < static_cast<size_t>(parameters.size()); ++p) {
      LongVector at = ToLong(parameters);
      expected.push_back(100 + Derivative(
                                   [&](long double value) {
                                     at[p] = value;
                                     return weighted_sum(at);
                                   },
                                   at[p]));
    }
    weights.triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);  // Not to be read.
    Vector gradient = Vector::Constant(parameters.size(), 100);        // To be added to.
    kernel_->Record(parameters, x)->AddParameterGradient(weights, gradient);
    EXPECT_LE(RelativeError(gradient, expected), 1e-12) << count;
  }
}

TEST_P(KernelTest, PointGradientsAreThoseOfTheDefinitionAndZeroAlongWords) {
  for (uint64_t seed = 41; seed < 46; ++seed) {
    const Vector parameters = Parameters(seed);
    const PointMatrix b = Points(8, seed);
    const Vector weights = RandomVector(8, -1, 1, seed);
    const Vector x = RandomPoints(recipe().kinds, 1, seed + 100).row(0).transpose();
    LongVector expected(static_cast<size_t>(x.size()), 3);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (recipe().kinds[i] == CoordinateKind::kWord) continue;
      const auto weighted_sum = [&](long double coordinate) {
        LongVector moved = ToLong(x);
        moved[i] = coordinate;
        long double sum = 0;
        for (Index j = 0; j < b.rows(); ++j) {
          sum += weights[j] *
                 recipe().oracle(ToLong(parameters), moved, ToLongPoint(b.row(j).transpose()).x);
        }
        return sum;
      };
      expected[i] += Derivative(weighted_sum, x[static_cast<Index>(i)], 1e-5L);
    }
    Vector gradient = Vector::Constant(x.size(), 3);  // To be added to.
    kernel_->AddPointGradient(parameters, x, b, weights, gradient);
    EXPECT_LE(RelativeError(gradient, expected), 1e-9) << seed;
  }
}

TEST_P(KernelTest, CoincidentPointsHaveNoSlopeAndFiniteGradients) {
  const Vector parameters = Parameters(51);
  const PointMatrix b = Points(1, 51).colwise().replicate(5);
  Vector gradient = Vector::Zero(b.cols());
  kernel_->AddPointGradient(parameters, b.row(0).transpose(), b, Vector::Ones(5), gradient);
  EXPECT_LE(gradient.cwiseAbs().maxCoeff(), 1e-13);
  const auto tape = kernel_->Record(parameters, b);
  Vector slopes = Vector::Zero(parameters.size());
  tape->AddParameterGradient(Matrix::Ones(5, 5), slopes);
  EXPECT_TRUE(slopes.allFinite());
  EXPECT_NEAR(Symmetric(tape->lower()).sum(), 25 * kernel_->Variance(parameters), 1e-10);
}

TEST_P(KernelTest, StaysFiniteForExtremeHyperparametersAndClosePoints) {
  PointMatrix x = Points(6, 61);
  x.row(1) = x.row(0);
  x(1, 0) += 1e-15;
  x.row(3) = x.row(2);
  x(3, 0) += 1e-300;
  for (const double size : {-25.0, -12.0, 12.0, 25.0}) {
    const Vector parameters = Vector::Constant(recipe().parameter_count, size);
    const auto tape = kernel_->Record(parameters, x);
    const Matrix covariance = Symmetric(tape->lower());
    EXPECT_TRUE(covariance.allFinite()) << size;
    EXPECT_LE(covariance.maxCoeff(), kernel_->Variance(parameters) * (1 + 1e-12)) << size;
    Vector slopes = Vector::Zero(parameters.size());
    tape->AddParameterGradient(Matrix::Ones(6, 6), slopes);
    EXPECT_TRUE(slopes.allFinite()) << size;
    Vector gradient = Vector::Zero(x.cols());
    kernel_->AddPointGradient(parameters, x.row(0).transpose(), x, Vector::Ones(6), gradient);
    EXPECT_TRUE(gradient.allFinite()) << size;
  }
}

TEST_P(KernelTest, IsPositiveDefiniteOnMixedPoints) {
  for (uint64_t seed = 71; seed < 74; ++seed) {
    const PointMatrix x = RandomPoints(recipe().kinds, 60, seed);
    const Matrix covariance = kernel_->Covariance(Parameters(seed), x, x);
    EXPECT_LE((covariance - covariance.transpose()).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_GE(LeastEigenvalue(covariance), -1e-13 * covariance.trace());
  }
}

TEST_P(KernelTest, HasAsManyNamesAsHyperparameters) {
  EXPECT_EQ(kernel_->parameter_count(), recipe().parameter_count);
  EXPECT_EQ(static_cast<Index>(kernel_->ParameterNames().size()), recipe().parameter_count);
  EXPECT_EQ(kernel_->dimension(), static_cast<Index>(recipe().kinds.size()));
}

INSTANTIATE_TEST_SUITE_P(All, KernelTest, ::testing::ValuesIn(AllRecipes()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace slipstream
