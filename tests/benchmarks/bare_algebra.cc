#include "tests/benchmarks/bare_algebra.h"

#include <Eigen/Cholesky>

namespace slipstream {

Matrix BareKernelMatrix(const PointMatrix& a, const PointMatrix& b) {
  Matrix k(a.rows(), b.rows());
  for (Index j = 0; j < b.rows(); ++j) {
    auto column = k.col(j).array();
    column.setZero();
    for (Index d = 0; d < a.cols(); ++d) column += (a.col(d).array() - b(j, d)).square();
    column = (5.0 * column).sqrt();
    column = (1 + column + column.square() / 3) * (-column).exp();
  }
  return k;
}

Matrix BareCholeskyAndInverse(const Matrix& k) {
  const Eigen::LLT<Matrix> llt(k);
  return llt.solve(Matrix::Identity(k.rows(), k.cols()));
}

Matrix BareFactor(const Matrix& k) { return Eigen::LLT<Matrix>(k).matrixL(); }

void BareTriangularSolve(const Matrix& lower, MatrixView b) {
  lower.triangularView<Eigen::Lower>().solveInPlace(b);
}

}  // namespace slipstream
