#include "tests/core/linalg/long_matrix.h"

#include <cmath>
#include <limits>
#include <utility>

namespace slipstream {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

// Brings `a` to upper triangular form by elimination with pivoting, and applies the
// same operations to the rows of `b`.
void Eliminate(LongMatrix& a, LongMatrix& b) {
  for (Index k = 0; k < a.rows(); ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < a.rows(); ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (Index j = 0; j < a.columns(); ++j) std::swap(a(k, j), a(pivot, j));
    for (Index j = 0; j < b.columns(); ++j) std::swap(b(k, j), b(pivot, j));
    for (Index i = k + 1; i < a.rows(); ++i) {
      const long double factor = a(i, k) / a(k, k);
      for (Index j = k; j < a.columns(); ++j) a(i, j) -= factor * a(k, j);
      for (Index j = 0; j < b.columns(); ++j) b(i, j) -= factor * b(k, j);
    }
  }
}

}  // namespace

LongMatrix::LongMatrix(Index rows, Index columns)
    : rows_(rows), columns_(columns), entries_(static_cast<size_t>(rows * columns), 0.0L) {}

LongMatrix LongMatrix::From(const Matrix& matrix) {
  LongMatrix result(matrix.rows(), matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) result(i, j) = matrix(i, j);
  }
  return result;
}

LongVector ToLong(const Vector& vector) { return LongVector(vector.begin(), vector.end()); }

LongMatrix ColumnOf(const LongVector& vector) {
  LongMatrix column(static_cast<Index>(vector.size()), 1);
  for (Index i = 0; i < column.rows(); ++i) column(i, 0) = vector[static_cast<size_t>(i)];
  return column;
}

Matrix ToMatrix(const LongMatrix& matrix) {
  Matrix result(matrix.rows(), matrix.columns());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.columns(); ++j) result(i, j) = static_cast<double>(matrix(i, j));
  }
  return result;
}

LongMatrix Transpose(const LongMatrix& a) {
  LongMatrix result(a.columns(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

LongMatrix Multiply(const LongMatrix& a, const LongMatrix& b) {
  LongMatrix result(a.rows(), b.columns());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index k = 0; k < a.columns(); ++k) {
      for (Index j = 0; j < b.columns(); ++j) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

LongMatrix Solve(LongMatrix a, LongMatrix b) {
  Eliminate(a, b);
  for (Index i = a.rows() - 1; i >= 0; --i) {
    for (Index j = 0; j < b.columns(); ++j) {
      for (Index k = i + 1; k < a.rows(); ++k) b(i, j) -= a(i, k) * b(k, j);
      b(i, j) /= a(i, i);
    }
  }
  return b;
}

LongMatrix Inverse(const LongMatrix& a) {
  LongMatrix identity(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) identity(i, i) = 1;
  return Solve(a, identity);
}

long double LogDeterminant(LongMatrix a) {
  LongMatrix nothing(a.rows(), 0);
  Eliminate(a, nothing);
  long double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) sum += std::log(std::abs(a(i, i)));
  return sum;
}

LongMatrix LowerFactor(const LongMatrix& a) {
  LongMatrix lower(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      long double rest = a(i, j);
      for (Index k = 0; k < j; ++k) rest -= lower(i, k) * lower(j, k);
      lower(i, j) = i == j ? std::sqrt(rest) : rest / lower(j, j);
    }
  }
  return lower;
}

long double RelativeError(const LongMatrix& actual, const LongMatrix& expected) {
  if (actual.rows() != expected.rows() || actual.columns() != expected.columns()) return kInfinity;
  long double difference = 0;
  long double magnitude = 0;
  for (Index i = 0; i < expected.rows(); ++i) {
    for (Index j = 0; j < expected.columns(); ++j) {
      const long double here = std::abs(actual(i, j) - expected(i, j));
      if (std::isnan(here)) return kInfinity;
      difference = std::max(difference, here);
      magnitude = std::max(magnitude, std::abs(expected(i, j)));
    }
  }
  return magnitude == 0 ? difference : difference / magnitude;
}

long double RelativeError(const Matrix& actual, const LongMatrix& expected) {
  return RelativeError(LongMatrix::From(actual), expected);
}

long double RelativeError(const Vector& actual, const LongVector& expected) {
  return RelativeError(ColumnOf(ToLong(actual)), ColumnOf(expected));
}

long double RelativeError(double actual, long double expected) {
  return RelativeError(ColumnOf({actual}), ColumnOf({expected}));
}

long double EntrywiseError(const Vector& actual, const LongVector& expected) {
  if (static_cast<size_t>(actual.size()) != expected.size()) return kInfinity;
  long double worst = 0;
  for (Index i = 0; i < actual.size(); ++i) {
    worst = std::max(worst, RelativeError(actual[i], expected[static_cast<size_t>(i)]));
  }
  return worst;
}

long double Derivative(const std::function<long double(long double)>& f, long double x,
                       long double step) {
  const long double near = f(x + step) - f(x - step);
  const long double far = f(x + 2 * step) - f(x - 2 * step);
  return (8 * near - far) / (12 * step);
}

}  // namespace slipstream
