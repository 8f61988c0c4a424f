#include "core/gp/remembered_points.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace slipstream {

RememberedPoints::RememberedPoints(PointMatrix x, Vector mean, Vector variance)
    : x_(std::move(x)),
      mean_(std::move(mean)),
      variance_(std::move(variance)),
      least_(kLeastVariancePart * variance_),
      whitened_(0, x_.rows()) {}

bool RememberedPoints::Are(const PointMatrix& x) const { return !empty() && AreEqual(x_, x); }

void RememberedPoints::Grow(const Cholesky& factor, Index first, Matrix cross) {
  assert(cross.cols() == x_.rows() && first + cross.rows() == factor.size());
  const Index count = cross.rows();
  if (first > 0) cross.noalias() -= factor.Rows(first, 0, count, first) * whitened_.topRows(first);
  for (Index column = 0; column < cross.cols(); column += kPredictionBlock) {
    const Index columns = std::min(kPredictionBlock, cross.cols() - column);
    factor.Rows(first, first, count, count)
        .triangularView<Eigen::Lower>()
        .solveInPlace(cross.middleCols(column, columns));
  }
  variance_ -= cross.colwise().squaredNorm().transpose();
  if (first + count > whitened_.rows()) {
    whitened_.conservativeResize(std::max(first + count, first + first / 4 + 16), Eigen::NoChange);
  }
  whitened_.middleRows(first, count) = cross;
}

}  // namespace slipstream
