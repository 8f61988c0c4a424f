// Eigen's decompositions of dense matrices under short names, compiled once for
// all tests: each of them costs a compiler seconds wherever it is spelt out.
#ifndef SLIPSTREAM_TESTS_CORE_LINALG_DENSE_H_
#define SLIPSTREAM_TESTS_CORE_LINALG_DENSE_H_

#include "core/linalg/types.h"

namespace slipstream {

// By LU with partial pivoting, of regular matrices.
Matrix DenseInverse(const Matrix& a);
Matrix DenseSolve(const Matrix& a, const Matrix& b);
Vector DenseSolve(const Matrix& a, const Vector& b);
// log |det a|.
double DenseLogDeterminant(const Matrix& a);

// The lower factor of a positive definite matrix; NaN where it is not.
Matrix DenseLowerFactor(const Matrix& a);

struct DenseEigen {
  Vector values;  // Rising.
  Matrix vectors;
};

// Of a symmetric matrix, of which the lower half is read.
DenseEigen DenseEigenOf(const Matrix& a);
double LeastEigenvalue(const Matrix& a);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_LINALG_DENSE_H_
