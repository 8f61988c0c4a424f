// The numerical folders' names for Eigen's dense types.
#ifndef SLIPSTREAM_CORE_LINALG_TYPES_H_
#define SLIPSTREAM_CORE_LINALG_TYPES_H_

#include <Eigen/Core>

namespace slipstream {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// A view of numbers that are owned elsewhere and must outlive it.
using ConstMatrixView = Eigen::Ref<const Matrix>;
using MatrixView = Eigen::Ref<Matrix>;
using ConstVectorView = Eigen::Ref<const Vector>;
using VectorView = Eigen::Ref<Vector>;

// Points of the unit cube, one per row. A column holds one coordinate of all
// points contiguously, in the order in which models read them.
using PointMatrix = Matrix;

// Whether two matrices or vectors have the same size and the same entries.
template <typename A, typename B>
bool AreEqual(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

// Points as the key of a cache.
struct PointsKey {
  PointMatrix x;

  bool operator==(const PointsKey& other) const { return AreEqual(x, other.x); }
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_LINALG_TYPES_H_
