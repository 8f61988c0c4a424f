// Predictions at fixed points that are kept up to date while a process takes in one pending point
// after the other: what the new rows of its factor tell of the points, instead of all rows again.
//
// With the factor L of the process's covariance and W = L^-1 c(X, S), the variance at the points S
// is c(S, S) - |W|^2, column by column. New rows l of the factor append (c(x, S) - l W) to W.
#ifndef SLIPSTREAM_CORE_GP_REMEMBERED_POINTS_H_
#define SLIPSTREAM_CORE_GP_REMEMBERED_POINTS_H_

#include "core/gp/surrogate.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/types.h"

namespace slipstream {

class RememberedPoints {
 public:
  // None.
  RememberedPoints() = default;
  // Their mean, which pending points do not change, and their variance before any row.
  RememberedPoints(PointMatrix x, Vector mean, Vector variance);

  bool empty() const { return x_.rows() == 0; }
  const PointMatrix& x() const { return x_; }
  // Whether these are the points, in their order.
  bool Are(const PointMatrix& x) const;

  Predictions Predict() const { return {mean_, variance_.cwiseMax(least_)}; }

  // Appends the factor's rows from `first` on; `cross` has the covariances of their points with the
  // points, one column a point. The rows before are known.
  void Grow(const Cholesky& factor, Index first, Matrix cross);

 private:
  PointMatrix x_;
  Vector mean_;
  Vector variance_;
  Vector least_;
  Matrix whitened_;  // W, with room for more rows.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_REMEMBERED_POINTS_H_
