#include "core/linalg/cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

// A squared pivot below this fraction of its diagonal entry is rounding noise.
double LeastPivotPart(Index size) {
  return static_cast<double>(size) * std::numeric_limits<double>::epsilon();
}

// Whether each squared pivot is more than the part `least` of its diagonal entry.
bool ArePivots(const Matrix& factor, const Vector& diagonal, double least) {
  for (Index i = 0; i < factor.rows(); ++i) {
    const double pivot = factor(i, i);
    if (!(pivot * pivot > least * diagonal[i])) return false;
  }
  return true;
}

// Factorises `k` with `jitter` on its diagonal into `factor`; returns whether
// that succeeded. Eigen::LLT would do the same and compute a norm besides.
bool Factorise(const Matrix& k, double jitter, Matrix& factor) {
  const Index size = k.rows();
  factor.resize(size, size);
  for (Index j = 0; j < size; ++j) factor.col(j).tail(size - j) = k.col(j).tail(size - j);
  factor.diagonal().array() += jitter;
  const Vector diagonal = factor.diagonal();
  MatrixView view = factor;  // The kernel of Eigen::LLT, which also takes the matrix's norm.
  return Eigen::internal::llt_inplace<double, Eigen::Lower>::blocked(view) == -1 &&
         ArePivots(factor, diagonal, LeastPivotPart(size));
}

// Zero times what is not finite is not a number; sums of such products are quicker than allFinite.
bool LowerIsFinite(const Matrix& k) {
  for (Index j = 0; j < k.cols(); ++j) {
    if (std::isnan((0 * k.col(j).tail(k.rows() - j)).sum())) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Cholesky> Cholesky::Of(Matrix k, const JitterLadder& ladder) {
  if (k.rows() != k.cols()) return absl::FailedPreconditionError("a covariance must be square");
  if (!LowerIsFinite(k)) return absl::FailedPreconditionError("a covariance must be finite");
  Cholesky result;
  result.size_ = k.rows();
  if (k.rows() == 0) return result;
  if (Factorise(k, 0, result.factor_)) return result;
  const double mean = std::max(k.diagonal().mean(), std::numeric_limits<double>::min());
  for (double part = ladder.first; part <= ladder.last * 1.0001; part *= ladder.factor) {
    if (!Factorise(k, part * mean, result.factor_)) continue;
    result.jitter_ = part * mean;
    return result;
  }
  return absl::FailedPreconditionError(absl::StrCat("a covariance of ", k.rows(),
                                                    " points is indefinite even with ", ladder.last,
                                                    " of its diagonal added"));
}

absl::Status Cholesky::Append(ConstVectorView column, double diagonal) {
  Vector row = column;
  SolveLower(row);
  const double corner = diagonal + jitter_;
  const double pivot = corner - row.squaredNorm();
  if (!(pivot > LeastPivotPart(size_ + 1) * corner) || !std::isfinite(pivot)) {
    return absl::FailedPreconditionError("the grown covariance is not positive definite");
  }
  MakeRoomFor(size_ + 1);
  factor_.row(size_).head(size_) = row.transpose();
  factor_(size_, size_) = std::sqrt(pivot);
  ++size_;
  return absl::OkStatus();
}

absl::Status Cholesky::AppendBlock(const Matrix& solved, Matrix corner) {
  const Index count = corner.rows();
  corner.diagonal().array() += jitter_;
  const Vector diagonal = corner.diagonal();
  if (size_ > 0) {
    corner.selfadjointView<Eigen::Lower>().rankUpdate(solved.transpose(), -1.0);
  }
  if (!LowerIsFinite(corner)) {
    return absl::FailedPreconditionError("the grown covariance is not finite");
  }
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(corner);
  const double least = LeastPivotPart(size_ + count);
  if (llt.info() != Eigen::Success || !ArePivots(corner, diagonal, least)) {
    return absl::FailedPreconditionError("the grown covariance is not positive definite");
  }
  MakeRoomFor(size_ + count);
  factor_.block(size_, 0, count, size_) = solved.transpose();
  factor_.block(size_, size_, count, count).triangularView<Eigen::Lower>() = corner;
  size_ += count;
  return absl::OkStatus();
}

void Cholesky::MakeRoomFor(Index size) {
  if (size <= factor_.rows()) return;
  const Index room = std::max({Index{16}, size, factor_.rows() + factor_.rows() / 2});
  factor_.conservativeResize(room, room);
}

void Cholesky::SolveLower(MatrixView b) const {
  if (b.size() == 0) return;
  lower().solveInPlace(b);
}

void Cholesky::SolveLowerTransposed(MatrixView b) const {
  if (b.size() == 0) return;
  factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(b);
}

Vector Cholesky::Solve(ConstVectorView b) const {
  Vector x = b;
  SolveLower(x);
  SolveLowerTransposed(x);
  return x;
}

namespace {

// Inverts the lower triangular `l` in place, recursively by halves:
//   [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1  C^-1].
void InvertLower(MatrixView l) {
  constexpr Index kSmall = 32;
  const Index size = l.rows();
  if (size <= kSmall) {
    Matrix inverse = Matrix::Identity(size, size);
    l.triangularView<Eigen::Lower>().solveInPlace(inverse);
    l.triangularView<Eigen::Lower>() = inverse;
    return;
  }
  const Index half = size / 2;
  auto corner = l.bottomLeftCorner(size - half, half);
  Matrix block = corner;
  l.bottomRightCorner(size - half, size - half).triangularView<Eigen::Lower>().solveInPlace(block);
  InvertLower(l.topLeftCorner(half, half));
  corner.noalias() = -(block * l.topLeftCorner(half, half).triangularView<Eigen::Lower>());
  InvertLower(l.bottomRightCorner(size - half, size - half));
}

// The lower triangle of M^T M for the lower triangular `m`, recursively by halves:
//   [A 0; B C]^T [A 0; B C] = [A^T A + B^T B, .; C^T B, C^T C].
void TransposedSquare(ConstMatrixView m, MatrixView out) {
  constexpr Index kSmall = 32;
  const Index size = m.rows();
  if (size <= kSmall) {
    const Matrix full = m.triangularView<Eigen::Lower>();
    out.triangularView<Eigen::Lower>() = full.transpose() * full;
    return;
  }
  const Index half = size / 2;
  const auto b = m.bottomLeftCorner(size - half, half);
  const auto c = m.bottomRightCorner(size - half, size - half);
  TransposedSquare(m.topLeftCorner(half, half), out.topLeftCorner(half, half));
  out.topLeftCorner(half, half).selfadjointView<Eigen::Lower>().rankUpdate(b.transpose(), 1.0);
  out.bottomLeftCorner(size - half, half).noalias() =
      c.triangularView<Eigen::Lower>().transpose() * b;
  TransposedSquare(c, out.bottomRightCorner(size - half, size - half));
}

}  // namespace

Matrix Cholesky::Inverse() const {
  if (size_ == 0) return Matrix(0, 0);
  Matrix lower_inverse = factor_.topLeftCorner(size_, size_);
  InvertLower(lower_inverse);
  Matrix inverse(size_, size_);
  TransposedSquare(lower_inverse, inverse);
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

double Cholesky::LogDeterminant() const {
  if (size_ == 0) return 0;
  return 2 * factor_.diagonal().head(size_).array().log().sum();
}

}  // namespace slipstream
