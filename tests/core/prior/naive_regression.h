// Regression as the papers write it down: loops over scalars and explicit
// inverses, nothing of what is tested.
#ifndef SLIPSTREAM_TESTS_CORE_PRIOR_NAIVE_REGRESSION_H_
#define SLIPSTREAM_TESTS_CORE_PRIOR_NAIVE_REGRESSION_H_

#include <cmath>
#include <functional>

#include "core/linalg/types.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {

// The squared distance with each coordinate divided by its lengthscale.
inline double NaiveDistance(const Vector& a, const Vector& b, const Vector& lengthscales) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double part = (a[i] - b[i]) / lengthscales[i];
    sum += part * part;
  }
  return sum;
}

inline double NaiveMatern52(const Vector& a, const Vector& b, const Vector& lengthscales) {
  const double r = std::sqrt(5 * NaiveDistance(a, b, lengthscales));
  return (1 + r + r * r / 3) * std::exp(-r);
}

inline double NaiveSquaredExponential(const Vector& a, const Vector& b,
                                      const Vector& lengthscales) {
  return std::exp(-NaiveDistance(a, b, lengthscales) / 2);
}

// Between row i of one set of points and row j of another, or of the same.
using NaiveCovariance = std::function<double(const Vector& a, const Vector& b)>;

inline Matrix NaiveMatrix(const NaiveCovariance& k, const PointMatrix& a, const PointMatrix& b) {
  Matrix result(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      result(i, j) = k(a.row(i).transpose(), b.row(j).transpose());
    }
  }
  return result;
}

struct NaivePosterior {
  Vector mean;
  Matrix covariance;
};

// mean = k^T (K + N)^-1 y, covariance = k(at, at) - k^T (K + N)^-1 k.
inline NaivePosterior NaiveRegression(const Matrix& among_data, const Vector& noise,
                                      const Matrix& data_to_at, const Matrix& among_at,
                                      const Vector& y) {
  const Matrix inverse = DenseInverse(among_data + Matrix(noise.asDiagonal()));
  return {data_to_at.transpose() * inverse * y,
          among_at - data_to_at.transpose() * inverse * data_to_at};
}

inline NaivePosterior NaiveRegression(const NaiveCovariance& k, const PointMatrix& x,
                                      const Vector& y, const Vector& noise, const PointMatrix& at) {
  return NaiveRegression(NaiveMatrix(k, x, x), noise, NaiveMatrix(k, x, at), NaiveMatrix(k, at, at),
                         y);
}

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_PRIOR_NAIVE_REGRESSION_H_
