// The Cholesky factor of a covariance matrix. It can grow by one row at a time
// and reports how much jitter was added to the diagonal.
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

// The jitter that is tried on the diagonal of a matrix that is not positive
// definite in floating point: none, then first, first * factor, ... up to last,
// each times the mean of the diagonal. For a zero matrix the smallest normal
// double stands in for the mean, so that a variable without variance can still be
// drawn.
struct JitterLadder {
  double first = 1e-10;
  double factor = 10;
  double last = 1e-4;
};

class Cholesky {
 public:
  // Factorises the symmetric matrix whose lower triangle is in `k`; the upper one
  // is not read. FAILED_PRECONDITION if `k` is not square or has an entry that is
  // not finite, or if it is indefinite even with the last jitter.
  static absl::StatusOr<Cholesky> Of(Matrix k, const JitterLadder& ladder = JitterLadder());

  // The factor of the empty matrix, to grow by Append.
  Cholesky() = default;

  Index size() const { return size_; }
  // The amount added to each diagonal entry; 0 if none was needed.
  double jitter() const { return jitter_; }
  // Entry (i, j) of the lower factor.
  double At(Index i, Index j) const { return factor_(i, j); }
  // The lower factor; entries above its diagonal are meaningless.
  auto lower() const { return factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>(); }
  // A part of the lower factor, from an entry on.
  auto Rows(Index row, Index column, Index rows, Index columns) const {
    return factor_.block(row, column, rows, columns);
  }

  // Extends the matrix by one row and column in O(size^2): `column` holds the
  // entries above the corner, `diagonal` the corner, to which jitter() is added.
  // FAILED_PRECONDITION, with nothing changed, if the extended matrix is not
  // positive definite; a new factorisation then tries more jitter.
  absl::Status Append(ConstVectorView column, double diagonal);

  // The same by many rows at once: `solved` is L^-1 times the new columns above the corner, which
  // is in the lower triangle of `corner`.
  absl::Status AppendBlock(const Matrix& solved, Matrix corner);

  // Takes back what Append and AppendBlock added beyond the first `size` rows.
  void Truncate(Index size) { size_ = size; }

  // Replace `b`, which has size() rows, by L^-1 b and L^-T b.
  void SolveLower(MatrixView b) const;
  void SolveLowerTransposed(MatrixView b) const;
  // The same for one column, which takes half the time; rounded differently.
  void SolveLowerOne(VectorView b) const { lower().solveInPlace(b); }
  void SolveLowerTransposedOne(VectorView b) const {
    factor_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(b);
  }
  // (L L^T)^-1 b.
  Vector Solve(ConstVectorView b) const;
  // (L L^T)^-1 with both triangles. Costs 2/3 size^3 operations.
  Matrix Inverse() const;
  double LogDeterminant() const;

 private:
  void MakeRoomFor(Index size);

  Matrix factor_;  // May have capacity for more rows than size_.
  Index size_ = 0;
  double jitter_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_LINALG_CHOLESKY_H_
