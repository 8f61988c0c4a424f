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

Matrix GaussianPrior::LowerCovariance(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoLowerCovariance(x);
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

std::unique_ptr<KernelAt> GaussianPrior::At(const PointMatrix& points) const {
  assert(points.cols() == dimension_);
  return DoAt(points);
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

Matrix KernelPrior::DoLowerCovariance(const PointMatrix& x) const {
  return kernel_->LowerCovariance(parameters_, x);
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

std::unique_ptr<KernelAt> KernelPrior::DoAt(const PointMatrix& points) const {
  return kernel_->At(parameters_, points);
}

}  // namespace slipstream
