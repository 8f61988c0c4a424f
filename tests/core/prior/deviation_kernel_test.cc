#include "core/prior/deviation_kernel.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {
namespace {

const CoordinateKinds kMixed = {CoordinateKind::kNumber, CoordinateKind::kWord,
                                CoordinateKind::kNumber};

Matrix Tasks() {
  return Matrix{{1, 0.9, 0.2, 0}, {0.9, 1, 0.3, 0.1}, {0.2, 0.3, 1, 0}, {0, 0.1, 0, 1}};
}

// Points with tasks, two of them the same and two alike in all but the task.
PointMatrix PointsWithTasks(const CoordinateKinds& kinds, Index count, uint64_t seed) {
  PointMatrix x(count, static_cast<Index>(kinds.size()) + 1);
  x.leftCols(x.cols() - 1) = RandomPoints(kinds, count, seed);
  for (Index i = 0; i < count; ++i) x(i, x.cols() - 1) = static_cast<double>(i % 4);
  x.row(4) = x.row(0);
  x.row(5).head(x.cols() - 1) = x.row(2).head(x.cols() - 1);
  return x;
}

double Naive(const Vector& parameters, const Vector& a, const Vector& b) {
  double squares = 0;
  for (size_t d = 0; d < kMixed.size(); ++d) {
    const auto place = static_cast<Index>(d);
    const double apart = a[place] - b[place];
    squares += kMixed[d] == CoordinateKind::kWord ? (apart == 0 ? 0 : 1) : apart * apart;
  }
  const double l = std::exp(parameters[1]);
  return 0.4 * std::exp(2 * parameters[0]) * std::exp(-squares / (2 * l * l)) +
         0.6 * Tasks()(static_cast<Index>(a[3]), static_cast<Index>(b[3])) *
             (1 - std::sqrt(squares) / 20);
}

class DeviationKernelTest : public ::testing::Test {
 protected:
  const std::shared_ptr<const Kernel> kernel_ = MakeDeviationKernel({0.6, 20}, kMixed, Tasks());
  const Vector parameters_{{0.3, -0.7}};
  const PointMatrix x_ = PointsWithTasks(kMixed, 12, 1);
};

TEST_F(DeviationKernelTest, IsItsDefinition) {
  const PointMatrix other = PointsWithTasks(kMixed, 7, 2);
  const Matrix actual = kernel_->Covariance(parameters_, x_, other);
  const Matrix among = kernel_->Covariance(parameters_, x_, x_);
  const auto tape = kernel_->Record(parameters_, x_);
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 7; ++j) {
      EXPECT_NEAR(actual(i, j), Naive(parameters_, x_.row(i), other.row(j)), 1e-14);
    }
    EXPECT_NEAR(among(i, i), kernel_->Variance(parameters_), 1e-14);
    for (Index j = 0; j <= i; ++j) EXPECT_NEAR(tape->lower()(i, j), among(i, j), 1e-15);
  }
  EXPECT_EQ(kernel_->ParameterNames(), (std::vector<std::string>{"amplitude", "lengthscale"}));
}

TEST_F(DeviationKernelTest, ItsGradientsAreThoseOfDifferences) {
  constexpr double kStep = 1e-6;
  const Vector weights = RandomVector(12, -1, 1, 3);
  const Vector at = PointsWithTasks(kMixed, 6, 9).row(3).transpose();
  Vector gradient = Vector::Zero(4);
  kernel_->AddPointGradient(parameters_, at, x_, weights, gradient);
  for (const Index d : {0, 2}) {
    PointMatrix moved(2, 4);
    moved << at.transpose(), at.transpose();
    moved(0, d) += kStep;
    moved(1, d) -= kStep;
    const Vector values = kernel_->Covariance(parameters_, moved, x_) * weights;
    EXPECT_NEAR(gradient[d], (values[0] - values[1]) / (2 * kStep), 1e-7);
  }
  EXPECT_EQ(gradient[1], 0);
  EXPECT_EQ(gradient[3], 0);

  const Matrix random = RandomVector(144, -1, 1, 4).reshaped(12, 12);
  const Matrix pull = random + random.transpose();
  Vector by_parameter = Vector::Zero(2);
  kernel_->Record(parameters_, x_)->AddParameterGradient(pull, by_parameter);
  for (Index p = 0; p < 2; ++p) {
    Vector up = parameters_;
    Vector down = parameters_;
    up[p] += kStep;
    down[p] -= kStep;
    const double difference = (pull.cwiseProduct(kernel_->Covariance(up, x_, x_)) -
                               pull.cwiseProduct(kernel_->Covariance(down, x_, x_)))
                                  .sum();
    EXPECT_NEAR(by_parameter[p], difference / (2 * kStep), 1e-6);
  }
}

TEST_F(DeviationKernelTest, HasNoSlopeOfItsOwnWhereTwoPointsMeet) {
  Vector gradient = Vector::Zero(4);
  kernel_->AddPointGradient(parameters_, x_.row(0).transpose(), x_.row(0), Vector::Ones(1),
                            gradient);
  EXPECT_EQ(gradient, Vector::Zero(4));
}

// The rough part by itself, at its steepest: B = 2 d.
TEST(DeviationKernel, IsACovarianceInManyDimensions) {
  for (const Index dimension : {1, 3, 15, 40}) {
    CoordinateKinds kinds = Numbers(dimension);
    for (size_t d = 0; d < kinds.size(); d += 2) kinds[d] = CoordinateKind::kWord;
    const auto kernel =
        MakeDeviationKernel({1, 2.0 * static_cast<double>(dimension)}, kinds, Matrix::Ones(1, 1));
    PointMatrix x = PointMatrix::Zero(150, dimension + 1);
    x.leftCols(dimension) = RandomPoints(kinds, 150, 5);
    // Corners are farthest apart.
    for (Index i = 0; i < 60; ++i) x.row(i) = x.row(i).array().round();
    const Matrix k = kernel->Covariance(Vector::Zero(2), x, x);
    EXPECT_GT(LeastEigenvalue(k), -1e-10)
        << dimension;
  }
}

TEST(NearbyTaskCovariance, LeavesACovarianceAsItIsAndMendsWhatIsNone) {
  EXPECT_LT((NearbyTaskCovariance(Tasks()) - Tasks()).cwiseAbs().maxCoeff(), 1e-12);
  const Matrix broken{{1, 0.95, 0}, {0.95, 1, 0.95}, {0, 0.95, 1}};
  ASSERT_LT(LeastEigenvalue(broken), -0.1);
  const Matrix mended = NearbyTaskCovariance(broken);
  EXPECT_GT(LeastEigenvalue(mended), -1e-12);
  EXPECT_EQ(mended.diagonal(), Vector::Ones(3));
  EXPECT_LT((mended - broken).cwiseAbs().maxCoeff(), 0.35);
}

}  // namespace
}  // namespace slipstream
