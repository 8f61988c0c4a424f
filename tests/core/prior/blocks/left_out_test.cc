#include "core/prior/blocks/left_out.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

struct Regression {
  TrainingData data;
  std::shared_ptr<const Kernel> kernel;
  Hyperparameters hyperparameters;

  GaussianProcess Fit() const { return FitProcess(kernel, data, hyperparameters).value(); }
};

Regression RegressionOf(TrainingData data, double noise_variance) {
  std::shared_ptr<const Kernel> kernel =
      MakeStationary(Smoothness::kMatern52, Numbers(data.x.cols()), Lengthscales::kShared);
  return {std::move(data),
          std::move(kernel),
          {Vector{{std::log(0.9), std::log(0.35)}}, std::log(noise_variance), 0.15}};
}

// The regression fitted anew without result j, by dense inverses, at all points.
void ExpectIsRefitted(const Regression& regression, double tolerance) {
  const TrainingData& data = regression.data;
  const Hyperparameters& own = regression.hyperparameters;
  const auto left_out = LeaveEachOut(regression.Fit());
  ASSERT_TRUE(left_out.ok()) << left_out.status();
  const Matrix all = regression.kernel->Covariance(own.kernel, data.x, data.x);
  for (Index j = 0; j < data.y.size(); ++j) {
    std::vector<Index> rows;
    for (Index i = 0; i < data.y.size(); ++i) {
      if (i != j) rows.push_back(i);
    }
    const TrainingData rest = RowsOf(data, rows);
    Matrix k = regression.kernel->Covariance(own.kernel, rest.x, rest.x);
    k.diagonal() += std::exp(own.log_noise_variance) * rest.repeats.cwiseInverse();
    const Matrix inverse = DenseInverse(k);
    const Matrix cross = regression.kernel->Covariance(own.kernel, data.x, rest.x);
    const Vector residual = rest.y.array() - own.mean;
    Vector mean = cross * (inverse * residual);
    mean.array() += own.mean;
    const Matrix covariance = all - cross * inverse * cross.transpose();
    const auto added = left_out->own.col(j);
    const Matrix actual =
        left_out->common * left_out->common.transpose() + added * added.transpose();
    EXPECT_LT((left_out->means.col(j) - mean).cwiseAbs().maxCoeff(), tolerance) << j;
    EXPECT_LT((actual - covariance).cwiseAbs().maxCoeff(), tolerance) << j;
    EXPECT_NEAR(left_out->Deviations()[j], std::sqrt(covariance(j, j)), tolerance) << j;
  }
}

TEST(LeftOut, IsTheRegressionFittedAnewWithoutEachResult) {
  TrainingData data = Sampled(Wave, 2, 11, 1);
  data.repeats = RandomVector(11, 1, 4, 2);
  ExpectIsRefitted(RegressionOf(data, 0.05), 1e-8);
  ExpectIsRefitted(RegressionOf(data, 1.5), 1e-8);
  ExpectIsRefitted(RegressionOf(data, 1e-5), 1e-6);
}

TEST(LeftOut, OfOneResultIsTheBelief) {
  const Regression regression = RegressionOf(Sampled(Wave, 2, 1, 1, false), 0.1);
  const LeftOut left_out = LeaveEachOut(regression.Fit()).value();
  EXPECT_NEAR(left_out.means(0, 0), 0.15, 1e-12);
  EXPECT_NEAR(left_out.Deviations()[0], 0.9, 1e-9);
}

// Exact results, the same point three times, and results all alike.
TEST(LeftOut, IsFiniteWhereTheCovarianceIsSingular) {
  TrainingData data = Sampled(Wave, 2, 6, 1);
  data.x.row(1) = data.x.row(0);
  data.x.row(2) = data.x.row(0);
  data.y.setConstant(0.5);
  for (const double noise : {1e-8, 1e-15, 1e-300}) {
    const auto left_out = LeaveEachOut(RegressionOf(data, noise).Fit());
    ASSERT_TRUE(left_out.ok()) << left_out.status();
    EXPECT_TRUE(left_out->means.allFinite());
    EXPECT_TRUE(left_out->common.allFinite());
    EXPECT_TRUE(left_out->own.allFinite());
  }
}

}  // namespace
}  // namespace slipstream
