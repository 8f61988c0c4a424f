#include "tests/core/linalg/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <limits>

namespace slipstream {

Matrix DenseInverse(const Matrix& a) { return a.inverse(); }

Matrix DenseSolve(const Matrix& a, const Matrix& b) { return a.partialPivLu().solve(b); }

Vector DenseSolve(const Matrix& a, const Vector& b) { return DenseSolve(a, Matrix(b)).col(0); }

double DenseLogDeterminant(const Matrix& a) {
  return a.partialPivLu().matrixLU().diagonal().array().abs().log().sum();
}

Matrix DenseLowerFactor(const Matrix& a) {
  const Eigen::LLT<Matrix> factor(a);
  if (factor.info() != Eigen::Success) {
    return Matrix::Constant(a.rows(), a.cols(), std::numeric_limits<double>::quiet_NaN());
  }
  return factor.matrixL();
}

DenseEigen DenseEigenOf(const Matrix& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double LeastEigenvalue(const Matrix& a) { return DenseEigenOf(a).values.minCoeff(); }

}  // namespace slipstream
