#include "core/prior/blocks/left_out.h"

#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

Vector LeftOut::Deviations() const {
  return (common.rowwise().squaredNorm() + own.diagonal().cwiseAbs2()).cwiseSqrt();
}

absl::StatusOr<LeftOut> LeaveEachOut(const GaussianProcess& process) {
  const Observations& observations = process.observations();
  const Vector noise = observations.noise_variance.array() + process.jitter();
  const Matrix precision = process.factor().Inverse();
  const Vector residual = observations.y - process.prior().Mean(observations.x);
  const Vector alpha = precision * residual;
  const Vector mean = observations.y - noise.cwiseProduct(alpha);
  const Vector scale = precision.diagonal().cwiseSqrt().cwiseInverse();
  Matrix covariance = -(noise.asDiagonal() * precision * noise.asDiagonal());
  covariance.diagonal() += noise;
  covariance.diagonal() = covariance.diagonal().cwiseMax(kLeastVariancePart * noise);
  LeftOut result;
  result.own = -(noise.asDiagonal() * precision);
  result.own.diagonal().array() += 1;
  result.own = result.own * scale.asDiagonal();
  result.means = -(result.own * alpha.cwiseProduct(scale).asDiagonal());
  result.means.colwise() += mean;
  SLIPSTREAM_ASSIGN_OR_RETURN(result.common, RootOfPosteriorCovariance(std::move(covariance)));
  return result;
}

absl::StatusOr<Matrix> RootOfPosteriorCovariance(Matrix covariance) {
  JitterLadder ladder;
  ladder.last = 1e3;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(covariance), ladder));
  return Matrix(factor.lower());
}

}  // namespace slipstream
