#include "core/gp/gaussian_process.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/base/status.h"
#include "core/gp/local_process.h"

namespace slipstream {
namespace {

// A fantasy has this part of the prior variance as noise, so that one on top of an observation does
// no harm.
constexpr double kFantasyNoisePart = 1e-8;
// Above so many observations single points are solved for by the vector's algorithm. Below, the
// matrix's costs little more, and suggestions stay as they were recorded.
constexpr Index kLargeSize = 100;

}  // namespace

GaussianProcess::GaussianProcess(std::shared_ptr<const GaussianPrior> prior,
                                 Observations observations, const JitterLadder& ladder)
    : Surrogate(prior->dimension()),
      prior_(std::move(prior)),
      observations_(std::move(observations)),
      ladder_(ladder) {}

absl::StatusOr<GaussianProcess> GaussianProcess::Fit(std::shared_ptr<const GaussianPrior> prior,
                                                     Observations observations,
                                                     const JitterLadder& ladder) {
  assert(observations.x.rows() == observations.y.size());
  assert(observations.noise_variance.size() == observations.y.size());
  if (observations.y.size() == 0) observations.x.resize(0, prior->dimension());
  if (!observations.x.allFinite() || !observations.y.allFinite() ||
      !observations.noise_variance.allFinite()) {
    return absl::FailedPreconditionError("observations must be finite");
  }
  GaussianProcess process(std::move(prior), std::move(observations), ladder);
  SLIPSTREAM_RETURN_IF_ERROR(process.Factorise());
  return process;
}

absl::Status GaussianProcess::Factorise() {
  Matrix covariance = prior_->LowerCovariance(observations_.x);
  covariance.diagonal() += observations_.noise_variance;
  SLIPSTREAM_ASSIGN_OR_RETURN(factor_, Cholesky::Of(std::move(covariance), ladder_));
  whitened_ = observations_.y - prior_->Mean(observations_.x);
  factor_.SolveLower(whitened_);
  alpha_ = whitened_;
  factor_.SolveLowerTransposed(alpha_);
  return CheckWeights();
}

absl::Status GaussianProcess::CheckWeights() const {
  if (alpha_.allFinite() && std::isfinite(whitened_.squaredNorm())) return absl::OkStatus();
  return absl::FailedPreconditionError("the regression's weights overflow");
}

void GaussianProcess::AddObservations(const PointMatrix& x, const Vector& y,
                                      const Vector& noise_variance) {
  const Index size = observations_.y.size();
  observations_.x.conservativeResize(size + x.rows(), Eigen::NoChange);
  observations_.x.bottomRows(x.rows()) = x;
  observations_.y.conservativeResize(size + x.rows());
  observations_.y.tail(x.rows()) = y;
  observations_.noise_variance.conservativeResize(size + x.rows());
  observations_.noise_variance.tail(x.rows()) = noise_variance;
}

absl::Status GaussianProcess::Append(ConstVectorView x, double y, double noise_variance) {
  assert(x.size() == dimension());
  if (!x.allFinite() || !std::isfinite(y) || !std::isfinite(noise_variance)) {
    return absl::FailedPreconditionError("observations must be finite");
  }
  const PointMatrix point = x.transpose();
  const Vector column = prior_->Covariance(observations_.x, point).col(0);
  const double corner = prior_->Variance(point)[0] + noise_variance;
  const Index size = observations_.y.size();
  const Vector result = Vector::Constant(1, y);
  const Vector noise = Vector::Constant(1, noise_variance);
  if (!factor_.Append(column, corner).ok()) {
    GaussianProcess grown = *this;
    grown.AddObservations(point, result, noise);
    SLIPSTREAM_RETURN_IF_ERROR(grown.Factorise());
    grown.remembered_ = {};
    *this = std::move(grown);
    return absl::OkStatus();
  }
  double residual = y - prior_->Mean(point)[0];
  for (Index i = 0; i < size; ++i) residual -= factor_.At(size, i) * whitened_[i];
  Vector earlier = std::move(alpha_);
  whitened_.conservativeResize(size + 1);
  whitened_[size] = residual / factor_.At(size, size);
  alpha_ = whitened_;
  factor_.SolveLowerTransposed(alpha_);
  const absl::Status status = CheckWeights();
  if (!status.ok()) {
    factor_.Truncate(size);
    whitened_.conservativeResize(size);
    alpha_ = std::move(earlier);
    return status;
  }
  AddObservations(point, result, noise);
  remembered_ = {};
  return absl::OkStatus();
}

Matrix GaussianProcess::CrossCovariance(const PointMatrix& a, const PointMatrix& b) const {
  return CrossCovariance(a, Whitened(a), b, Whitened(b));
}

Matrix GaussianProcess::CrossCovariance(const PointMatrix& a, const Matrix& whitened_a,
                                        const PointMatrix& b, const Matrix& whitened_b) const {
  Matrix covariance = prior_->Covariance(a, b);
  covariance.noalias() -= whitened_a.transpose() * whitened_b;
  return covariance;
}

Matrix GaussianProcess::Whitened(const PointMatrix& x) const {
  Matrix whitened = prior_->Covariance(observations_.x, x);
  factor_.SolveLower(whitened);
  return whitened;
}

void GaussianProcess::AddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                            ConstVectorView weights, VectorView gradient) const {
  prior_->AddCovarianceGradient(x, b, weights, gradient);
  if (size() == 0) return;
  // cov(x, b) = c(x, b) - c(x, X) K^-1 c(X, b).
  const Vector pull = -factor_.Solve(prior_->Covariance(observations_.x, b) * weights);
  prior_->AddCovarianceGradient(x, observations_.x, pull, gradient);
}

Predictions GaussianProcess::DoPredict(const PointMatrix& x) const {
  if (remembered_.Are(x)) return remembered_.Predict();
  Predictions result{prior_->Mean(x), prior_->Variance(x)};
  if (size() == 0) return result;
  for (Index first = 0; first < x.rows(); first += kPredictionBlock) {
    const Index count = std::min(kPredictionBlock, x.rows() - first);
    Matrix covariance = prior_->Covariance(observations_.x, x.middleRows(first, count));
    result.mean.segment(first, count).noalias() += covariance.transpose() * alpha_;
    factor_.SolveLower(covariance);
    auto variance = result.variance.segment(first, count);
    const Vector least = kLeastVariancePart * variance;
    variance -= covariance.colwise().squaredNorm().transpose();
    variance = variance.cwiseMax(least);
  }
  return result;
}

PointPrediction GaussianProcess::DoPredictPoint(ConstVectorView x) const {
  const PointMatrix point = x.transpose();
  PointPrediction result;
  result.mean = prior_->Mean(point)[0];
  result.variance = prior_->Variance(point)[0];
  result.mean_gradient = Vector::Zero(dimension());
  result.variance_gradient = Vector::Zero(dimension());
  prior_->AddMeanGradient(x, 1, result.mean_gradient);
  prior_->AddVarianceGradient(x, 1, result.variance_gradient);
  if (size() == 0) return result;
  Vector covariance = prior_->Covariance(observations_.x, point).col(0);
  result.mean += covariance.dot(alpha_);
  prior_->AddCovarianceGradient(x, observations_.x, alpha_, result.mean_gradient);
  const bool is_large = size() > kLargeSize;
  if (is_large) {
    factor_.SolveLowerOne(covariance);
  } else {
    factor_.SolveLower(covariance);
  }
  const double least = kLeastVariancePart * result.variance;
  result.variance -= covariance.squaredNorm();
  if (!(result.variance > least)) {  // Flat where it is clamped.
    result.variance = least;
    result.variance_gradient.setZero();
    return result;
  }
  if (is_large) {
    factor_.SolveLowerTransposedOne(covariance);
  } else {
    factor_.SolveLowerTransposed(covariance);
  }
  covariance *= -2;
  prior_->AddCovarianceGradient(x, observations_.x, covariance, result.variance_gradient);
  return result;
}

Matrix GaussianProcess::DoJointCovariance(const PointMatrix& x) const {
  Matrix covariance = prior_->Covariance(x, x);
  if (size() == 0) return covariance;
  Matrix cross = prior_->Covariance(observations_.x, x);
  factor_.SolveLower(cross);
  covariance.noalias() -= cross.transpose() * cross;
  return covariance;
}

absl::StatusOr<std::unique_ptr<Surrogate>> GaussianProcess::DoFantasize(
    const PointMatrix& x) const {
  auto fantasy = std::make_unique<GaussianProcess>(*this);
  for (Index i = 0; i < x.rows(); ++i) {
    const PointMatrix point = x.row(i);
    const double noise = kFantasyNoisePart * prior_->Variance(point)[0];
    SLIPSTREAM_RETURN_IF_ERROR(
        fantasy->Append(point.row(0).transpose(), fantasy->Predict(point).mean[0], noise));
  }
  return fantasy;
}

Vector GaussianProcess::DoPredictMean(const PointMatrix& x) const {
  Vector mean = prior_->Mean(x);
  if (size() == 0) return mean;
  for (Index first = 0; first < x.rows(); first += kPredictionBlock) {
    const Index count = std::min(kPredictionBlock, x.rows() - first);
    const Matrix covariance = prior_->Covariance(observations_.x, x.middleRows(first, count));
    mean.segment(first, count).noalias() += covariance.transpose() * alpha_;
  }
  return mean;
}

// The mean at the points is what is expected there already, so that the residuals that the factor
// has not explained yet are 0, and so are the new weights.
absl::StatusOr<bool> GaussianProcess::DoAbsorb(const PointMatrix& x) {
  const Index earlier = size();
  const Index count = x.rows();
  if (count == 0) return true;
  if (!x.allFinite()) return absl::FailedPreconditionError("observations must be finite");
  const Vector noise = kFantasyNoisePart * prior_->Variance(x);
  Matrix solved = prior_->Covariance(observations_.x, x);
  Vector mean = prior_->Mean(x);
  mean.noalias() += solved.transpose() * alpha_;
  if (count == 1 && earlier > 0) {
    factor_.SolveLowerOne(solved.col(0));
  } else {
    factor_.SolveLower(solved);
  }
  Matrix corner = prior_->LowerCovariance(x);
  corner.diagonal() += noise;
  if (!factor_.AppendBlock(solved, std::move(corner)).ok()) {
    GaussianProcess grown = *this;
    grown.AddObservations(x, mean, noise);
    SLIPSTREAM_RETURN_IF_ERROR(grown.Factorise());
    *this = std::move(grown);
    if (!remembered_.empty()) DoRemember(PointMatrix(remembered_.x()));
    return true;
  }
  if (!remembered_.empty()) {
    remembered_.Grow(factor_, earlier, prior_->Covariance(x, remembered_.x()));
  }
  AddObservations(x, mean, noise);
  whitened_.conservativeResize(earlier + count);
  whitened_.tail(count).setZero();
  alpha_.conservativeResize(earlier + count);
  alpha_.tail(count).setZero();
  return true;
}

void GaussianProcess::DoRemember(const PointMatrix& x) {
  remembered_ = {};
  remembered_ = RememberedPoints(x, DoPredictMean(x), prior_->Variance(x));
  if (size() > 0) remembered_.Grow(factor_, 0, prior_->Covariance(observations_.x, x));
}

std::unique_ptr<Surrogate> GaussianProcess::DoNear(ConstVectorView x) const {
  return LocalProcess::Around(*this, x);
}

}  // namespace slipstream
