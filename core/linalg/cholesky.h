// The Cholesky factor of a covariance matrix, which grows a row at a time and
// says how much it had to add to the diagonal.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(Cholesky factor, Cholesky::Of(std::move(k)));
//   Vector alpha = factor.Solve(y);
//
// A const Cholesky is thread-safe.
#ifndef SLIPSTREAM_CORE_LINALG_CHOLESKY_H_
#define SLIPSTREAM_CORE_LINALG_CHOLESKY_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace slipstream {

// How much is added to the diagonal of a matrix that is not positive definite
// in floating point: nothing, then first, first * factor, ... up to last, each
// times the mean of the diagonal (of a zero matrix, the least normal double: a
// variable without variance can still be drawn).
struct JitterLadder {
  double first = 1e-10;
  double factor = 10;
  double last = 1e-4;
};

class Cholesky {
 public:
  // Factorises the symmetric matrix whose lower triangle `k` holds; the upper one is
  // not read. FAILED_PRECONDITION when `k` is not square or has an entry that
  // is not finite, or when even the last jitter leaves it indefinite.
  static absl::StatusOr<Cholesky> Of(Matrix k, const JitterLadder& ladder = JitterLadder());

  // Factor of the empty matrix, to be grown by Append.
  Cholesky() = default;

  Index size() const { return size_; }
  // The jitter that was added to each diagonal entry; 0 when none was needed.
  double jitter() const { return jitter_; }
  // Row `i`, column `j` of the lower factor.
  double At(Index i, Index j) const { return factor_(i, j); }
  // The lower factor; what lies above its diagonal means nothing.
  auto lower() const { return factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>(); }

  // Makes it the factor of the matrix with one row and column more, in
  // O(size^2): `column` holds the entries above the corner, `diagonal` the
  // corner, to which jitter() is added. FAILED_PRECONDITION, and nothing
  // changed, when the grown matrix is not positive definite; then factorise
  // anew, which climbs the ladder.
  absl::Status Append(ConstVectorView column, double diagonal);

  // L^-1 b and L^-T b in place; `b` has size() rows.
  void SolveLower(MatrixView b) const;
  void SolveLowerTransposed(MatrixView b) const;
  // (L L^T)^-1 b.
  Vector Solve(ConstVectorView b) const;
  // (L L^T)^-1, both triangles. O(2/3 size^3).
  Matrix Inverse() const;
  double LogDeterminant() const;

 private:
  Matrix factor_;  // May have room for more rows than size_.
  Index size_ = 0;
  double jitter_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_LINALG_CHOLESKY_H_
