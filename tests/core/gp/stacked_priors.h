// Priors made of others: the posterior of another task's process, and the sum of two independent
// priors, to any depth. What transfer computes faster is compared with them.
//
//   auto source = std::make_shared<PosteriorPrior>(fitted_source);
//   auto change = std::make_shared<KernelPrior>(kernel, parameters, 0.0);
//   auto prior = std::make_shared<SumPrior>(source, change);
#ifndef SLIPSTREAM_TESTS_CORE_GP_STACKED_PRIORS_H_
#define SLIPSTREAM_TESTS_CORE_GP_STACKED_PRIORS_H_

#include <memory>

#include "core/gp/gaussian_prior.h"
#include "core/gp/gaussian_process.h"

namespace slipstream {

// The sum of two independent processes over the same space.
class SumPrior : public GaussianPrior {
 public:
  SumPrior(std::shared_ptr<const GaussianPrior> first, std::shared_ptr<const GaussianPrior> second);

 private:
  Vector DoMean(const PointMatrix& x) const override;
  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override;
  Vector DoVariance(const PointMatrix& x) const override;
  void DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;
  void DoAddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const override;

  std::shared_ptr<const GaussianPrior> first_;
  std::shared_ptr<const GaussianPrior> second_;
};

// The posterior of another process as a prior: the noise-free function given
// that process's observations.
class PosteriorPrior : public GaussianPrior {
 public:
  explicit PosteriorPrior(std::shared_ptr<const GaussianProcess> process);

 private:
  Vector DoMean(const PointMatrix& x) const override;
  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override;
  Vector DoVariance(const PointMatrix& x) const override;
  void DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;
  void DoAddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const override;

  std::shared_ptr<const GaussianProcess> process_;
};

// log p(y) = -|L^-1 r|^2 / 2 - sum_i log L_ii - n/2 log 2 pi, r = y - m(X).
double LogLikelihoodOf(const GaussianProcess& process);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_GP_STACKED_PRIORS_H_
