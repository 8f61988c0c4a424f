#include "core/prior/cluster/gaussian_distance.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/spectrum.h"

namespace slipstream {
namespace {

// tr (S1^1/2 S0 S1^1/2)^1/2.
double TraceOfRoot(const PlacedNormal& a, const PlacedNormal& b) {
  const Matrix product = a.lower().transpose() * b.lower();
  Matrix square = Matrix::Zero(product.rows(), product.rows());
  square.selfadjointView<Eigen::Lower>().rankUpdate(product);
  return EigenvaluesOf(square).cwiseMax(0).cwiseSqrt().sum();
}

}  // namespace

absl::StatusOr<PlacedNormal> PlacedNormal::Of(Vector mean, Matrix covariance) {
  double ridge = 0;
  if (covariance.size() > 0) {
    ridge = std::max(kNormalRidgePart * covariance.diagonal().mean(), kLeastNormalRidge);
    covariance.diagonal().array() += ridge;
  }
  return WithRidge(std::move(mean), std::move(covariance), ridge);
}

absl::StatusOr<PlacedNormal> PlacedNormal::CentreOf(
    const std::vector<const PlacedNormal*>& members) {
  if (members.size() == 1) return *members.front();
  Vector mean = Vector::Zero(members.front()->size());
  for (const PlacedNormal* member : members) {
    mean += member->mean() / static_cast<double>(members.size());
  }
  return CentreOf(members, std::move(mean));
}

absl::StatusOr<PlacedNormal> PlacedNormal::CentreOf(const std::vector<const PlacedNormal*>& members,
                                                    Vector mean) {
  const auto part = 1 / static_cast<double>(members.size());
  Matrix covariance = Matrix::Zero(mean.size(), mean.size());
  double ridge = 0;
  for (const PlacedNormal* member : members) {
    covariance += part * member->covariance();
    ridge += part * member->ridge();
  }
  return WithRidge(std::move(mean), std::move(covariance), ridge);
}

absl::StatusOr<PlacedNormal> PlacedNormal::WithRidge(Vector mean, Matrix covariance, double ridge) {
  if (!mean.allFinite()) return absl::FailedPreconditionError("a mean must be finite");
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(covariance));
  PlacedNormal normal;
  normal.mean_ = std::move(mean);
  normal.covariance_ = std::move(covariance);
  normal.lower_ = factor.lower();
  normal.ridge_ = ridge;
  normal.trace_ = normal.covariance_.trace();
  return normal;
}

const Matrix& PlacedNormal::inverse() const {
  std::call_once(inverse_->is_made,
                 [this] { inverse_->matrix = Cholesky::Of(covariance_)->Inverse(); });
  return inverse_->matrix;
}

double JeffreysDivergence(const PlacedNormal& a, const PlacedNormal& b) {
  if (a.size() == 0) return 0;
  const Vector difference = a.mean() - b.mean();
  const double traces = a.inverse().cwiseProduct(b.covariance()).sum() +
                        b.inverse().cwiseProduct(a.covariance()).sum();
  const double squares =
      difference.dot(a.inverse() * difference) + difference.dot(b.inverse() * difference);
  return std::max(0.0, 0.5 * (traces + squares) - static_cast<double>(a.size()));
}

double WassersteinDistance(const PlacedNormal& a, const PlacedNormal& b) {
  if (a.size() == 0) return 0;
  const double square =
      (a.mean() - b.mean()).squaredNorm() + a.trace() + b.trace() - 2 * TraceOfRoot(a, b);
  return std::sqrt(std::max(0.0, square));
}

double DistanceBetween(NormalDistance distance, const PlacedNormal& a, const PlacedNormal& b) {
  switch (distance) {
    case NormalDistance::kJeffreys:
      return JeffreysDivergence(a, b);
    case NormalDistance::kWasserstein:
      break;
  }
  return WassersteinDistance(a, b);
}

WassersteinBounds SquaredWassersteinBounds(const PlacedNormal& a, const PlacedNormal& b) {
  if (a.size() == 0) return {};
  const double means = (a.mean() - b.mean()).squaredNorm();
  const double roots = std::sqrt(a.trace()) - std::sqrt(b.trace());
  return {means + roots * roots, means + (a.lower() - b.lower()).squaredNorm()};
}

}  // namespace slipstream
