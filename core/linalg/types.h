// The names that the numerical folders give to Eigen's dense types.
#ifndef SLIPSTREAM_CORE_LINALG_TYPES_H_
#define SLIPSTREAM_CORE_LINALG_TYPES_H_

#include <Eigen/Core>

namespace slipstream {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// A view of someone else's numbers, which must outlive it.
using ConstMatrixView = Eigen::Ref<const Matrix>;
using MatrixView = Eigen::Ref<Matrix>;
using ConstVectorView = Eigen::Ref<const Vector>;
using VectorView = Eigen::Ref<Vector>;

// Points of a unit cube, one a row, one coordinate a column, so that a model
// runs along one coordinate of many points.
using PointMatrix = Matrix;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_LINALG_TYPES_H_
