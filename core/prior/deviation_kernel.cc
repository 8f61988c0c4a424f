#include "core/prior/deviation_kernel.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/linalg/spectrum.h"

namespace slipstream {
namespace {

class DeviationKernel final : public Kernel {
 public:
  DeviationKernel(const DeviationKernelOptions& options, const CoordinateKinds& kinds, Matrix tasks)
      : Kernel(static_cast<Index>(kinds.size()) + 1, 2),
        options_(options),
        kinds_(kinds),
        tasks_(std::move(tasks)),
        smooth_(MakeStationary(Smoothness::kSquaredExponential, kinds, Lengthscales::kShared)) {}

  std::vector<std::string> ParameterNames() const override { return smooth_->ParameterNames(); }

  // Without the task.
  PointMatrix Places(const PointMatrix& x) const { return x.leftCols(dimension() - 1); }

  // r T(s, s') (1 - |x - x'| / B), of the rows of `a` from `first` on to row `j`
  // of `b`, and where asked for the distances.
  void Rough(const PointMatrix& a, Index first, const PointMatrix& b, Index j,
             Eigen::Ref<Eigen::ArrayXd> out, Eigen::ArrayXd* distances = nullptr) const {
    const Index count = a.rows() - first;
    out.setZero();
    for (Index d = 0; d + 1 < dimension(); ++d) {
      const auto column = a.col(d).tail(count).array();
      if (kinds_[static_cast<size_t>(d)] == CoordinateKind::kWord) {
        out += (column == b(j, d)).select(Eigen::ArrayXd::Zero(count), 1.0);
      } else {
        out += (column - b(j, d)).square();
      }
    }
    out = out.sqrt();
    if (distances != nullptr) *distances = out;
    const Index task = TaskOf(b, j);
    for (Index i = 0; i < count; ++i) {
      out[i] = options_.ratio * tasks_(TaskOf(a, first + i), task) *
               (1 - out[i] / options_.distance_scale);
    }
  }

  double smooth_part() const { return 1 - options_.ratio; }
  const Kernel& smooth() const { return *smooth_; }

 private:
  Index TaskOf(const PointMatrix& x, Index i) const {
    return static_cast<Index>(x(i, dimension() - 1));
  }

  void DoCovariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b,
                    MatrixView out) const override {
    out = smooth_part() * smooth_->Covariance(parameters, Places(a), Places(b));
    Eigen::ArrayXd rough(a.rows());
    for (Index j = 0; j < b.rows(); ++j) {
      Rough(a, 0, b, j, rough);
      out.col(j).array() += rough;
    }
  }

  double DoVariance(ConstVectorView parameters) const override {
    return smooth_part() * smooth_->Variance(parameters) + options_.ratio;
  }

  void DoAddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                          ConstVectorView weights, VectorView gradient) const override {
    const Index last = dimension() - 1;
    smooth_->AddPointGradient(parameters, x.head(last), Places(b), smooth_part() * weights,
                              gradient.head(last));
    const PointMatrix point = x.transpose();
    Eigen::ArrayXd rough(b.rows());
    Eigen::ArrayXd distances;
    Rough(b, 0, point, 0, rough, &distances);
    // -r T (x - b_i) / (B |x - b_i|).
    Eigen::ArrayXd pull(b.rows());
    for (Index i = 0; i < b.rows(); ++i) {
      pull[i] = distances[i] > 0
                    ? -weights[i] * options_.ratio * tasks_(TaskOf(b, i), TaskOf(point, 0)) /
                          (options_.distance_scale * distances[i])
                    : 0;
    }
    for (Index d = 0; d < last; ++d) {
      if (kinds_[static_cast<size_t>(d)] == CoordinateKind::kWord) continue;
      gradient[d] += (pull * (x[d] - b.col(d).array())).sum();
    }
  }

  std::unique_ptr<KernelTape> DoRecord(ConstVectorView parameters,
                                       const PointMatrix& x) const override;

  DeviationKernelOptions options_;
  CoordinateKinds kinds_;
  Matrix tasks_;
  std::unique_ptr<Kernel> smooth_;
};

class DeviationTape final : public KernelTape {
 public:
  DeviationTape(const DeviationKernel& kernel, ConstVectorView parameters, const PointMatrix& x)
      : smooth_part_(kernel.smooth_part()),
        smooth_(kernel.smooth().Record(parameters, kernel.Places(x))) {
    const Index size = x.rows();
    lower_ = smooth_part_ * smooth_->lower();
    Eigen::ArrayXd rough(size);
    for (Index j = 0; j < size; ++j) {
      kernel.Rough(x, j, x, j, rough.head(size - j));
      lower_.col(j).tail(size - j).array() += rough.head(size - j);
    }
  }

  void AddParameterGradient(const Matrix& weights, VectorView gradient) const override {
    smooth_->AddParameterGradient(smooth_part_ * weights, gradient);
  }

 private:
  double smooth_part_;
  std::unique_ptr<KernelTape> smooth_;
};

std::unique_ptr<KernelTape> DeviationKernel::DoRecord(ConstVectorView parameters,
                                                      const PointMatrix& x) const {
  return std::make_unique<DeviationTape>(*this, parameters, x);
}

}  // namespace

std::unique_ptr<Kernel> MakeDeviationKernel(const DeviationKernelOptions& options,
                                            const CoordinateKinds& kinds, Matrix tasks) {
  return std::make_unique<DeviationKernel>(options, kinds, std::move(tasks));
}

Matrix NearbyTaskCovariance(const Matrix& similarity) {
  const absl::StatusOr<Spectrum> spectrum = SpectrumOf(similarity);
  if (!spectrum.ok()) return Matrix::Identity(similarity.rows(), similarity.cols());
  const Matrix root = spectrum->vectors * spectrum->values.cwiseMax(0).cwiseSqrt().asDiagonal();
  Matrix covariance = root * root.transpose();
  const Vector scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  covariance = scale.asDiagonal() * covariance * scale.asDiagonal();
  covariance.diagonal().setOnes();
  return covariance;
}

}  // namespace slipstream
