// The linear algebra that any model of this size needs, and nothing else, as the
// floor for the model's times. Compiled for each instruction set as core is, so
// that both sides of a ratio run the same instructions.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_BARE_ALGEBRA_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_BARE_ALGEBRA_H_

#include "core/linalg/types.h"

namespace slipstream {

// The Matern 5/2 kernel between the rows of `a` and `b`, with variance and
// lengthscales 1.
Matrix BareKernelMatrix(const PointMatrix& a, const PointMatrix& b);

// Eigen's Cholesky factorisation of `k` and its solution for the identity;
// returns the inverse.
Matrix BareCholeskyAndInverse(const Matrix& k);

// The lower factor of `k`.
Matrix BareFactor(const Matrix& k);

// Solves lower * x = b in place.
void BareTriangularSolve(const Matrix& lower, MatrixView b);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_BARE_ALGEBRA_H_
