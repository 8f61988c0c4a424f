#include "core/gp/gaussian_prior.h"

#include <cassert>
#include <utility>

namespace slipstream {

Vector GaussianPrior::Mean(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoMean(x);
}

Matrix GaussianPrior::Covariance(const PointMatrix& a, const PointMatrix& b) const {
  assert(a.cols() == dimension_ && b.cols() == dimension_);
  return DoCovariance(a, b);
}

Vector GaussianPrior::Variance(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoVariance(x);
}

void GaussianPrior::AddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const {
  assert(x.size() == dimension_ && gradient.size() == dimension_);
  DoAddMeanGradient(x, weight, gradient);
}

void GaussianPrior::AddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                          ConstVectorView weights, VectorView gradient) const {
  assert(x.size() == dimension_ && gradient.size() == dimension_);
  assert(b.cols() == dimension_ && weights.size() == b.rows());
  DoAddCovarianceGradient(x, b, weights, gradient);
}

void GaussianPrior::AddVarianceGradient(ConstVectorView x, double weight,
                                        VectorView gradient) const {
  assert(x.size() == dimension_ && gradient.size() == dimension_);
  DoAddVarianceGradient(x, weight, gradient);
}

KernelPrior::KernelPrior(std::shared_ptr<const Kernel> kernel, Vector parameters, double mean)
    : GaussianPrior(kernel->dimension()),
      kernel_(std::move(kernel)),
      parameters_(std::move(parameters)),
      mean_(mean) {
  assert(parameters_.size() == kernel_->parameter_count());
}

Vector KernelPrior::DoMean(const PointMatrix& x) const { return Vector::Constant(x.rows(), mean_); }

Matrix KernelPrior::DoCovariance(const PointMatrix& a, const PointMatrix& b) const {
  return kernel_->Covariance(parameters_, a, b);
}

Vector KernelPrior::DoVariance(const PointMatrix& x) const {
  return Vector::Constant(x.rows(), kernel_->Variance(parameters_));
}

void KernelPrior::DoAddMeanGradient(ConstVectorView, double, VectorView) const {}

void KernelPrior::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                          ConstVectorView weights, VectorView gradient) const {
  kernel_->AddPointGradient(parameters_, x, b, weights, gradient);
}

void KernelPrior::DoAddVarianceGradient(ConstVectorView, double, VectorView) const {}

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

}  // namespace slipstream
