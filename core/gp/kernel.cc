#include "core/gp/kernel.h"

#include <cassert>

namespace slipstream {

Matrix Kernel::Covariance(ConstVectorView parameters, const PointMatrix& a,
                          const PointMatrix& b) const {
  assert(parameters.size() == parameter_count_);
  assert(a.cols() == dimension_ && b.cols() == dimension_);
  Matrix out(a.rows(), b.rows());
  DoCovariance(parameters, a, b, out);
  return out;
}

double Kernel::Variance(ConstVectorView parameters) const {
  assert(parameters.size() == parameter_count_);
  return DoVariance(parameters);
}

void Kernel::AddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                              ConstVectorView weights, VectorView gradient) const {
  assert(parameters.size() == parameter_count_);
  assert(x.size() == dimension_ && gradient.size() == dimension_);
  assert(b.cols() == dimension_ && weights.size() == b.rows());
  DoAddPointGradient(parameters, x, b, weights, gradient);
}

std::unique_ptr<KernelTape> Kernel::Record(ConstVectorView parameters,
                                           const PointMatrix& x) const {
  assert(parameters.size() == parameter_count_);
  assert(x.cols() == dimension_);
  return DoRecord(parameters, x);
}

}  // namespace slipstream
