// Textbook linear algebra: plain loops in long double, as a reference for the real
// implementation. Systems are solved by Gaussian elimination with pivoting, which
// shares nothing with a Cholesky factor.
#ifndef SLIPSTREAM_TESTS_CORE_LINALG_LONG_MATRIX_H_
#define SLIPSTREAM_TESTS_CORE_LINALG_LONG_MATRIX_H_

#include <functional>
#include <vector>

#include "core/linalg/types.h"

namespace slipstream {

using LongVector = std::vector<long double>;

class LongMatrix {
 public:
  LongMatrix() = default;
  LongMatrix(Index rows, Index columns);  // All zeros.
  static LongMatrix From(const Matrix& matrix);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  long double& operator()(Index i, Index j) { return entries_[Place(i, j)]; }
  long double operator()(Index i, Index j) const { return entries_[Place(i, j)]; }

 private:
  size_t Place(Index i, Index j) const { return static_cast<size_t>(i * columns_ + j); }

  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<long double> entries_;
};

LongVector ToLong(const Vector& vector);
LongMatrix ColumnOf(const LongVector& vector);
Matrix ToMatrix(const LongMatrix& matrix);

LongMatrix Transpose(const LongMatrix& a);
LongMatrix Multiply(const LongMatrix& a, const LongMatrix& b);
// The solution X of a X = b; `a` must be regular.
LongMatrix Solve(LongMatrix a, LongMatrix b);
LongMatrix Inverse(const LongMatrix& a);
// log |det a|.
long double LogDeterminant(LongMatrix a);
// The lower factor of a positive definite matrix.
LongMatrix LowerFactor(const LongMatrix& a);

// The greatest difference relative to the greatest expected magnitude, or absolute if
// zeros are expected. Infinite if the sizes differ or an entry is NaN.
long double RelativeError(const LongMatrix& actual, const LongMatrix& expected);
long double RelativeError(const Matrix& actual, const LongMatrix& expected);
long double RelativeError(const Vector& actual, const LongVector& expected);
long double RelativeError(double actual, long double expected);
// The greatest of the entries' own relative errors.
long double EntrywiseError(const Vector& actual, const LongVector& expected);

// df/dx at `x` by five-point differences, accurate to about 1e-13 for smooth f of
// moderate size.
long double Derivative(const std::function<long double(long double)>& f, long double x,
                       long double step = 1e-4L);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_LINALG_LONG_MATRIX_H_
