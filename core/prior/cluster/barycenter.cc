#include "core/prior/cluster/barycenter.h"

#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/spectrum.h"

namespace slipstream {
namespace {

// The root of the symmetric `square`, whose lower triangle is read; what
// rounding made negative counts as 0.
absl::StatusOr<Matrix> BarycenterRoot(const Matrix& square) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const Spectrum spectrum, SpectrumOf(square));
  const Vector fourth = spectrum.values.cwiseMax(0).cwiseSqrt().cwiseSqrt();
  const Matrix half = spectrum.vectors * fourth.asDiagonal();
  return Matrix(half * half.transpose());
}

absl::Status NextRound(const std::vector<const PlacedNormal*>& members,
                       const BarycenterOptions& options, const Deadline& deadline,
                       Barycenter& result) {
  const auto part = 1 / static_cast<double>(members.size());
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(result.covariance));
  const Matrix lower = factor.lower();
  Matrix root = Matrix::Zero(lower.rows(), lower.cols());
  for (const PlacedNormal* member : members) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time for the centres of the sources"));
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const Matrix of_member,
        BarycenterRoot(lower.transpose() * (member->covariance() * lower)));
    root += part * of_member;
  }
  factor.SolveLowerTransposed(root);  // L^-T M.
  Matrix next = root * root.transpose();
  if (!next.allFinite()) return absl::FailedPreconditionError("a barycenter overflows");
  const double change = (next - result.covariance).norm();
  result.converged = change < options.tolerance * result.covariance.norm();
  result.covariance = std::move(next);
  ++result.rounds;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Barycenter> WassersteinBarycenter(const std::vector<const PlacedNormal*>& members,
                                                 const BarycenterOptions& options,
                                                 const Deadline& deadline,
                                                 std::optional<Barycenter>* progress) {
  std::optional<Barycenter> own;
  std::optional<Barycenter>& result = progress != nullptr ? *progress : own;
  if (!result.has_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const PlacedNormal centre, PlacedNormal::CentreOf(members));
    result = Barycenter{centre.mean(), centre.covariance()};
    result->converged = members.size() == 1 || centre.size() == 0;
  }
  while (result->rounds < options.most_rounds && !result->converged) {
    SLIPSTREAM_RETURN_IF_ERROR(NextRound(members, options, deadline, *result));
  }
  Barycenter found = *std::move(result);
  result.reset();
  return found;
}

}  // namespace slipstream
