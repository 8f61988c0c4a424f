// What is believed of a function before its data: a Gaussian process given by
// its mean and covariance functions, with their gradients in x.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_GP_GAUSSIAN_PRIOR_H_
#define SLIPSTREAM_CORE_GP_GAUSSIAN_PRIOR_H_

#include <memory>

#include "core/gp/kernel.h"
#include "core/linalg/types.h"

namespace slipstream {

class GaussianPrior {
 public:
  virtual ~GaussianPrior() = default;

  Index dimension() const { return dimension_; }

  // m(x_i).
  Vector Mean(const PointMatrix& x) const;
  // c(a_i, b_j).
  Matrix Covariance(const PointMatrix& a, const PointMatrix& b) const;
  // Covariance(x, x) to the last bit, but only its lower triangle is sure to be filled.
  Matrix LowerCovariance(const PointMatrix& x) const;
  // c(x_i, x_i), never negative.
  Vector Variance(const PointMatrix& x) const;

  // Add to `gradient`: weight * dm(x)/dx; sum_i weights[i] dc(x, b_i)/dx with
  // the b_i held; weight * d c(x, x)/dx, both arguments moving.
  void AddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const;
  void AddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                             VectorView gradient) const;
  void AddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const;

  // The covariances with points that stay, in the form that is quickest for one that comes at a
  // time; null where a prior has no such form. The prior must outlive it.
  std::unique_ptr<KernelAt> At(const PointMatrix& points) const;

 protected:
  explicit GaussianPrior(Index dimension) : dimension_(dimension) {}

 private:
  // Called with arguments of the right sizes.
  virtual Vector DoMean(const PointMatrix& x) const = 0;
  virtual Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const = 0;
  virtual Matrix DoLowerCovariance(const PointMatrix& x) const { return DoCovariance(x, x); }
  virtual Vector DoVariance(const PointMatrix& x) const = 0;
  virtual void DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const = 0;
  virtual void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                       ConstVectorView weights, VectorView gradient) const = 0;
  virtual void DoAddVarianceGradient(ConstVectorView x, double weight,
                                     VectorView gradient) const = 0;
  virtual std::unique_ptr<KernelAt> DoAt(const PointMatrix& /*points*/) const { return nullptr; }

  Index dimension_;
};

// A kernel with chosen hyperparameters around a constant mean.
class KernelPrior : public GaussianPrior {
 public:
  KernelPrior(std::shared_ptr<const Kernel> kernel, Vector parameters, double mean);

 private:
  Vector DoMean(const PointMatrix& x) const override;
  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override;
  Matrix DoLowerCovariance(const PointMatrix& x) const override;
  Vector DoVariance(const PointMatrix& x) const override;
  void DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;
  void DoAddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  std::unique_ptr<KernelAt> DoAt(const PointMatrix& points) const override;

  std::shared_ptr<const Kernel> kernel_;
  Vector parameters_;
  double mean_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_GAUSSIAN_PRIOR_H_
