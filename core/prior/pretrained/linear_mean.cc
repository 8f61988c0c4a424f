#include "core/prior/pretrained/linear_mean.h"

#include <cassert>
#include <utility>

namespace slipstream {

LinearMeanPrior::LinearMeanPrior(std::shared_ptr<const Kernel> kernel, Vector parameters,
                                 double mean, Vector slopes)
    : GaussianPrior(kernel->dimension()),
      around_(std::move(kernel), std::move(parameters), mean),
      slopes_(std::move(slopes)) {
  assert(slopes_.size() == dimension());
}

Vector LinearMeanPrior::DoMean(const PointMatrix& x) const {
  return around_.Mean(x) + FromTheMiddle(x) * slopes_;
}

Matrix LinearMeanPrior::DoCovariance(const PointMatrix& a, const PointMatrix& b) const {
  return around_.Covariance(a, b);
}

Vector LinearMeanPrior::DoVariance(const PointMatrix& x) const { return around_.Variance(x); }

void LinearMeanPrior::DoAddMeanGradient(ConstVectorView, double weight, VectorView gradient) const {
  gradient += weight * slopes_;
}

void LinearMeanPrior::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                              ConstVectorView weights, VectorView gradient) const {
  around_.AddCovarianceGradient(x, b, weights, gradient);
}

void LinearMeanPrior::DoAddVarianceGradient(ConstVectorView, double, VectorView) const {}

PointMatrix FromTheMiddle(const PointMatrix& x) { return x.array() - 0.5; }

std::vector<KnownTerm> SlopeTerms(const PointMatrix& x) {
  const PointMatrix from_the_middle = FromTheMiddle(x);
  std::vector<KnownTerm> terms;
  for (Index i = 0; i < x.cols(); ++i) {
    terms.push_back({from_the_middle.col(i), Matrix(), Vector::Zero(x.rows())});
  }
  return terms;
}

}  // namespace slipstream
