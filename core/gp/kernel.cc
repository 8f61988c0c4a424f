#include "core/gp/kernel.h"

#include <cassert>

namespace slipstream {
namespace {

class PlainKernelAt final : public KernelAt {
 public:
  PlainKernelAt(const Kernel& kernel, ConstVectorView parameters, const PointMatrix& points)
      : KernelAt(points.rows(), 0), kernel_(kernel), parameters_(parameters), points_(points) {}

 private:
  void DoCovariance(const PointMatrix& x, MatrixView out) const override {
    for (Index j = 0; j < x.rows(); ++j) {
      out.col(j) = kernel_.Covariance(parameters_, points_, x.row(j)).col(0);
    }
  }
  void DoAtPoint(ConstVectorView x, VectorView values, MatrixView) const override {
    values = kernel_.Covariance(parameters_, points_, x.transpose()).col(0);
  }
  void DoAddGradients(ConstVectorView x, ConstMatrixView, ConstMatrixView weights,
                      MatrixView gradients) const override {
    for (Index j = 0; j < weights.cols(); ++j) {
      kernel_.AddPointGradient(parameters_, x, points_, weights.col(j), gradients.col(j));
    }
  }

  const Kernel& kernel_;
  Vector parameters_;
  PointMatrix points_;
};

}  // namespace

void KernelAt::Covariance(const PointMatrix& x, MatrixView out) const {
  assert(out.rows() == size_ && out.cols() == x.rows());
  DoCovariance(x, out);
}

Matrix KernelAt::Covariance(const PointMatrix& x) const {
  Matrix out(size_, x.rows());
  DoCovariance(x, out);
  return out;
}

void KernelAt::AtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const {
  assert(values.size() == size_);
  assert(slopes.rows() == size_ && slopes.cols() == slope_columns_);
  DoAtPoint(x, values, slopes);
}

void KernelAt::AddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                            MatrixView gradients) const {
  assert(slopes.cols() == slope_columns_ && weights.rows() == size_);
  assert(gradients.rows() == x.size() && gradients.cols() == weights.cols());
  DoAddGradients(x, slopes, weights, gradients);
}

Matrix Kernel::Covariance(ConstVectorView parameters, const PointMatrix& a,
                          const PointMatrix& b) const {
  assert(parameters.size() == parameter_count_);
  assert(a.cols() == dimension_ && b.cols() == dimension_);
  Matrix out(a.rows(), b.rows());
  DoCovariance(parameters, a, b, out);
  return out;
}

Matrix Kernel::LowerCovariance(ConstVectorView parameters, const PointMatrix& x) const {
  assert(parameters.size() == parameter_count_ && x.cols() == dimension_);
  Matrix out(x.rows(), x.rows());
  DoLowerCovariance(parameters, x, out);
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

std::unique_ptr<KernelTape> Kernel::Record(ConstVectorView parameters, const PointMatrix& x) const {
  assert(parameters.size() == parameter_count_);
  assert(x.cols() == dimension_);
  return DoRecord(parameters, x);
}

std::unique_ptr<KernelAt> Kernel::At(ConstVectorView parameters, const PointMatrix& points) const {
  assert(parameters.size() == parameter_count_);
  assert(points.cols() == dimension_);
  return DoAt(parameters, points);
}

std::unique_ptr<KernelAt> Kernel::DoAt(ConstVectorView parameters,
                                       const PointMatrix& points) const {
  return std::make_unique<PlainKernelAt>(*this, parameters, points);
}

}  // namespace slipstream
