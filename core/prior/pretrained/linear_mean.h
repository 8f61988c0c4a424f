// A kernel with chosen hyperparameters around a mean that is linear in x:
//
//   m(x) = mean + sum_i slopes_i (x_i - 1/2),
//
// so that `mean` is what is believed of the middle of the unit cube.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_PRIOR_PRETRAINED_LINEAR_MEAN_H_
#define SLIPSTREAM_CORE_PRIOR_PRETRAINED_LINEAR_MEAN_H_

#include <memory>
#include <vector>

#include "core/gp/gaussian_prior.h"
#include "core/gp/likelihood.h"

namespace slipstream {

class LinearMeanPrior : public GaussianPrior {
 public:
  // One slope for each coordinate; of categories it should be 0.
  LinearMeanPrior(std::shared_ptr<const Kernel> kernel, Vector parameters, double mean,
                  Vector slopes);

 private:
  Vector DoMean(const PointMatrix& x) const override;
  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override;
  Vector DoVariance(const PointMatrix& x) const override;
  void DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;
  void DoAddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const override;

  KernelPrior around_;
  Vector slopes_;
};

// x_i - 1/2.
PointMatrix FromTheMiddle(const PointMatrix& x);

// The slopes as a likelihood takes them: a term without variance for each
// coordinate, whose weight is the slope.
std::vector<KnownTerm> SlopeTerms(const PointMatrix& x);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRETRAINED_LINEAR_MEAN_H_
