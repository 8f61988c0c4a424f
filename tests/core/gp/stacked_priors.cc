#include "tests/core/gp/stacked_priors.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace slipstream {

SumPrior::SumPrior(std::shared_ptr<const GaussianPrior> first,
                   std::shared_ptr<const GaussianPrior> second)
    : GaussianPrior(first->dimension()), first_(std::move(first)), second_(std::move(second)) {
  assert(first_->dimension() == second_->dimension());
}

Vector SumPrior::DoMean(const PointMatrix& x) const { return first_->Mean(x) + second_->Mean(x); }

Matrix SumPrior::DoCovariance(const PointMatrix& a, const PointMatrix& b) const {
  Matrix sum = first_->Covariance(a, b);
  sum += second_->Covariance(a, b);
  return sum;
}

Vector SumPrior::DoVariance(const PointMatrix& x) const {
  return first_->Variance(x) + second_->Variance(x);
}

void SumPrior::DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const {
  first_->AddMeanGradient(x, weight, gradient);
  second_->AddMeanGradient(x, weight, gradient);
}

void SumPrior::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                       ConstVectorView weights, VectorView gradient) const {
  first_->AddCovarianceGradient(x, b, weights, gradient);
  second_->AddCovarianceGradient(x, b, weights, gradient);
}

void SumPrior::DoAddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const {
  first_->AddVarianceGradient(x, weight, gradient);
  second_->AddVarianceGradient(x, weight, gradient);
}

PosteriorPrior::PosteriorPrior(std::shared_ptr<const GaussianProcess> process)
    : GaussianPrior(process->dimension()), process_(std::move(process)) {}

Vector PosteriorPrior::DoMean(const PointMatrix& x) const { return process_->Predict(x).mean; }

Matrix PosteriorPrior::DoCovariance(const PointMatrix& a, const PointMatrix& b) const {
  return process_->CrossCovariance(a, b);
}

Vector PosteriorPrior::DoVariance(const PointMatrix& x) const {
  return process_->Predict(x).variance;
}

void PosteriorPrior::DoAddMeanGradient(ConstVectorView x, double weight,
                                       VectorView gradient) const {
  gradient += weight * process_->PredictPoint(x).mean_gradient;
}

void PosteriorPrior::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                             ConstVectorView weights, VectorView gradient) const {
  process_->AddCovarianceGradient(x, b, weights, gradient);
}

void PosteriorPrior::DoAddVarianceGradient(ConstVectorView x, double weight,
                                           VectorView gradient) const {
  gradient += weight * process_->PredictPoint(x).variance_gradient;
}

double LogLikelihoodOf(const GaussianProcess& process) {
  const Observations& observations = process.observations();
  Vector whitened = observations.y - process.prior().Mean(observations.x);
  process.factor().SolveLower(whitened);
  return -0.5 * (whitened.squaredNorm() + process.factor().LogDeterminant() +
                 static_cast<double>(process.size()) * std::log(2 * std::numbers::pi));
}

}  // namespace slipstream
