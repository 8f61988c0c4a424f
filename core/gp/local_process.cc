#include "core/gp/local_process.h"

#include <utility>

#include "core/gp/largest_places.h"

namespace slipstream {
std::unique_ptr<LocalProcess> LocalProcess::Around(const GaussianProcess& whole,
                                                   ConstVectorView x) {
  if (whole.size() < kLeastSize) return nullptr;
  const Observations& observations = whole.observations();
  std::unique_ptr<KernelAt> at_observations = whole.prior().At(observations.x);
  if (at_observations == nullptr) return nullptr;
  const Vector covariances = at_observations->Covariance(PointMatrix(x.transpose())).col(0);
  if (!covariances.allFinite()) return nullptr;
  std::vector<Index> nearest = LargestPlaces(covariances, kNearest);
  const PointMatrix points = observations.x(nearest, Eigen::all);
  Matrix covariance = whole.prior().LowerCovariance(points);
  covariance.diagonal() += observations.noise_variance(nearest);
  covariance.diagonal().array() += whole.jitter();
  absl::StatusOr<Cholesky> factor = Cholesky::Of(std::move(covariance));
  if (!factor.ok()) return nullptr;
  return std::unique_ptr<LocalProcess>(
      new LocalProcess(whole, std::move(at_observations), std::move(nearest), *std::move(factor)));
}

LocalProcess::LocalProcess(const GaussianProcess& whole, std::unique_ptr<KernelAt> at_observations,
                           std::vector<Index> nearest, Cholesky factor)
    : Surrogate(whole.dimension()),
      whole_(whole),
      at_observations_(std::move(at_observations)),
      nearest_(std::move(nearest)),
      factor_(std::move(factor)) {}

PointPrediction LocalProcess::DoPredictPoint(ConstVectorView x) const {
  const GaussianPrior& prior = whole_.prior();
  const PointMatrix point = x.transpose();
  PointPrediction result;
  result.mean = prior.Mean(point)[0];
  result.variance = prior.Variance(point)[0];
  result.mean_gradient = Vector::Zero(dimension());
  result.variance_gradient = Vector::Zero(dimension());
  prior.AddMeanGradient(x, 1, result.mean_gradient);
  prior.AddVarianceGradient(x, 1, result.variance_gradient);
  Vector cross(whole_.size());
  Matrix slopes(whole_.size(), at_observations_->slope_columns());
  at_observations_->AtPoint(x, cross, slopes);
  result.mean += cross.dot(whole_.weights());
  Vector solved = cross(nearest_);
  factor_.SolveLowerOne(solved);
  const double least = kLeastVariancePart * result.variance;
  result.variance -= solved.squaredNorm();
  const bool is_flat = !(result.variance > least);
  // The weights of the mean and of the variance.
  Matrix pulls = Matrix::Zero(whole_.size(), 2);
  pulls.col(0) = whole_.weights();
  if (!is_flat) {
    factor_.SolveLowerTransposedOne(solved);
    for (size_t i = 0; i < nearest_.size(); ++i) {
      pulls(nearest_[i], 1) = -2 * solved[static_cast<Index>(i)];
    }
  }
  Matrix gradients = Matrix::Zero(dimension(), 2);
  at_observations_->AddGradients(x, slopes, pulls, gradients);
  result.mean_gradient += gradients.col(0);
  if (is_flat) {
    result.variance = least;
    result.variance_gradient.setZero();
  } else {
    result.variance_gradient += gradients.col(1);
  }
  return result;
}

}  // namespace slipstream
