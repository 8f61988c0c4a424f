#include "core/gp/kernel_expansion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

absl::Status CheckFinite(const KernelExpansion& expansion) {
  if (expansion.weights.allFinite() && expansion.reduction.allFinite()) return absl::OkStatus();
  return absl::FailedPreconditionError("the regression's weights overflow");
}

}  // namespace

absl::StatusOr<KernelExpansion> KernelExpansion::Of(std::shared_ptr<const Kernel> kernel,
                                                    const TrainingData& data,
                                                    const Hyperparameters& hyperparameters) {
  KernelExpansion expansion{
      std::move(kernel), hyperparameters.kernel, hyperparameters.mean, data.x, {}, {}};
  expansion.at_points = expansion.kernel->At(expansion.parameters, expansion.points);
  Matrix covariance = expansion.Cross(data.x);
  covariance.diagonal() += NoiseOf(data, hyperparameters.log_noise_variance);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(covariance)));
  expansion.weights = factor.Solve(Vector(data.y.array() - hyperparameters.mean));
  expansion.reduction = factor.Inverse();
  SLIPSTREAM_RETURN_IF_ERROR(CheckFinite(expansion));
  return expansion;
}

absl::StatusOr<KernelExpansion> KernelExpansion::Through(std::shared_ptr<const Kernel> kernel,
                                                         Vector parameters, double kernel_mean,
                                                         PointMatrix points, const Vector& mean,
                                                         const Matrix& covariance,
                                                         double noise_variance) {
  KernelExpansion expansion{
      std::move(kernel), std::move(parameters), kernel_mean, std::move(points), {}, {}};
  expansion.at_points = expansion.kernel->At(expansion.parameters, expansion.points);
  // a = K^-1 (mean - m); R = K^-1 - K^-1 S K^-1; K with the noise.
  Matrix prior = expansion.Cross(expansion.points);
  prior.diagonal().array() += noise_variance;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(prior)));
  expansion.weights = factor.Solve(Vector(mean.array() - kernel_mean));
  const Matrix inverse = factor.Inverse();
  expansion.reduction = inverse;
  expansion.reduction.noalias() -= inverse * covariance * inverse;
  expansion.reduction = 0.5 * (expansion.reduction + Matrix(expansion.reduction.transpose()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckFinite(expansion));
  return expansion;
}

Matrix KernelExpansion::Cross(const PointMatrix& x) const { return at_points->Covariance(x); }

Vector KernelExpansion::Means(const PointMatrix& x) const {
  if (points.rows() == 0) return Vector::Constant(x.rows(), mean);
  return (Cross(x).transpose() * weights).array() + mean;
}

double KernelExpansion::MeanAt(ConstVectorView x, VectorView gradient) const {
  if (points.rows() == 0) return mean;
  Vector cross(points.rows());
  Matrix slopes(points.rows(), at_points->slope_columns());
  at_points->AtPoint(x, cross, slopes);
  at_points->AddGradients(x, slopes, weights, gradient);
  return cross.dot(weights) + mean;
}

Predictions KernelExpansion::Predict(const PointMatrix& x) const {
  const double most = kernel->Variance(parameters);
  Predictions result{Vector::Constant(x.rows(), mean), Vector::Constant(x.rows(), most)};
  if (points.rows() == 0) return result;
  for (Index first = 0; first < x.rows(); first += kPredictionBlock) {
    const Index count = std::min(kPredictionBlock, x.rows() - first);
    const Matrix cross = Cross(x.middleRows(first, count));
    result.mean.segment(first, count).noalias() += cross.transpose() * weights;
    result.variance.segment(first, count) -=
        cross.cwiseProduct(reduction * cross).colwise().sum().transpose();
  }
  result.variance = result.variance.cwiseMax(kLeastVariancePart * most);
  return result;
}

PointPrediction KernelExpansion::PredictPoint(ConstVectorView x) const {
  const double most = kernel->Variance(parameters);
  PointPrediction result{mean, most, Vector::Zero(x.size()), Vector::Zero(x.size())};
  if (points.rows() == 0) return result;
  Vector cross(points.rows());
  Matrix slopes(points.rows(), at_points->slope_columns());
  at_points->AtPoint(x, cross, slopes);
  Matrix pulls(points.rows(), 2);
  pulls.col(0) = weights;
  pulls.col(1) = Reduced(cross);
  result.mean += cross.dot(weights);
  result.variance -= cross.dot(pulls.col(1));
  if (!(result.variance > kLeastVariancePart * most)) {  // Flat where it is clamped.
    result.variance = kLeastVariancePart * most;
    pulls.col(1).setZero();
  }
  Matrix gradients = Matrix::Zero(x.size(), 2);
  at_points->AddGradients(x, slopes, pulls, gradients);
  result.mean_gradient = gradients.col(0);
  result.variance_gradient = -2 * gradients.col(1);
  return result;
}

Vector KernelExpansion::Reduced(ConstVectorView c) const {
  return reduction.selfadjointView<Eigen::Lower>() * c;
}

Matrix KernelExpansion::Covariance(const PointMatrix& a, const PointMatrix& b) const {
  Matrix covariance = kernel->Covariance(parameters, a, b);
  if (points.rows() == 0) return covariance;
  covariance.noalias() -= Cross(a).transpose() * (reduction * Cross(b));
  return covariance;
}

size_t KernelExpansion::MemoryBytes() const {
  return sizeof(double) * static_cast<size_t>(points.size() + weights.size() + reduction.size());
}

}  // namespace slipstream
