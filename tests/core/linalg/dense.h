// Eigen's decompositions of dense matrices under short names, compiled once for all
// tests, because each use takes the compiler seconds.
#ifndef SLIPSTREAM_TESTS_CORE_LINALG_DENSE_H_
#define SLIPSTREAM_TESTS_CORE_LINALG_DENSE_H_

#include "core/linalg/types.h"

namespace slipstream {

// LU decomposition with partial pivoting, for regular matrices.
Matrix DenseInverse(const Matrix& a);
Matrix DenseSolve(const Matrix& a, const Matrix& b);
Vector DenseSolve(const Matrix& a, const Vector& b);
// log |det a|.
double DenseLogDeterminant(const Matrix& a);

// The lower Cholesky factor; NaN if the matrix is not positive definite.
Matrix DenseLowerFactor(const Matrix& a);

struct DenseEigen {
  Vector values;  // Ascending.
  Matrix vectors;
};

// The eigenvalues of a symmetric matrix, of which only the lower half is read.
DenseEigen DenseEigenOf(const Matrix& a);
double LeastEigenvalue(const Matrix& a);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_LINALG_DENSE_H_
