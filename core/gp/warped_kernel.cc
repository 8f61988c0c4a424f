#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/gp/kernel.h"

namespace slipstream {
namespace {

// With an exponent below 1 the curve is vertical at an end; its slope is finite
// at this distance from the ends.
constexpr double kMargin = 1e-6;

// One coordinate's curve 1 - (1 - x^a)^b at one place.
class Bend {
 public:
  Bend(double coordinate, double log_a, double log_b)
      : is_inside_(coordinate >= 0 && coordinate <= 1),
        log_a_(log_a),
        log_b_(log_b),
        a_(std::exp(log_a)),
        b_(std::exp(log_b)),
        log_x_(std::log(kMargin + (1 - 2 * kMargin) * std::clamp(coordinate, 0.0, 1.0))),
        log_rest_(std::log(-std::expm1(a_ * log_x_))) {}

  double Value() const { return -std::expm1(b_ * log_rest_); }
  // The value's derivatives, by the coordinate and by the hyperparameters.
  double Slope() const {
    if (!is_inside_) return 0;
    return (1 - 2 * kMargin) * Steepness() * std::exp(log_a_ + (a_ - 1) * log_x_);
  }
  double ByLogA() const { return Steepness() * std::exp(a_ * log_x_) * a_ * log_x_; }
  double ByLogB() const { return -std::exp(b_ * log_rest_) * b_ * log_rest_; }

 private:
  // The value's derivative by x^a.
  double Steepness() const { return std::exp(log_b_ + (b_ - 1) * log_rest_); }

  bool is_inside_;
  double log_a_;
  double log_b_;
  double a_;
  double b_;
  double log_x_;
  double log_rest_;  // The logarithm of 1 - x^a, which is positive.
};

}  // namespace

class WarpedKernel : public Kernel {
 public:
  WarpedKernel(std::unique_ptr<Kernel> inner, const CoordinateKinds& kinds)
      : Kernel(inner->dimension(), inner->parameter_count() + 2 * CountNumbers(kinds)),
        inner_(std::move(inner)) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == CoordinateKind::kNumber) numbers_.push_back(static_cast<Index>(i));
    }
  }

  std::vector<std::string> ParameterNames() const override {
    std::vector<std::string> names = inner_->ParameterNames();
    for (const Index coordinate : numbers_) {
      names.push_back(absl::StrCat("warp_a[", coordinate, "]"));
      names.push_back(absl::StrCat("warp_b[", coordinate, "]"));
    }
    return names;
  }

  const Kernel& inner() const { return *inner_; }
  const std::vector<Index>& numbers() const { return numbers_; }

  ConstVectorView InnerPart(ConstVectorView parameters) const {
    return parameters.head(inner_->parameter_count());
  }

  // The bend of the k-th number among the coordinates.
  Bend BendAt(ConstVectorView parameters, size_t k, double coordinate) const {
    const Index first = inner_->parameter_count() + 2 * static_cast<Index>(k);
    return Bend(coordinate, parameters[first], parameters[first + 1]);
  }

  PointMatrix Warped(ConstVectorView parameters, PointMatrix points) const {
    for (Index row = 0; row < points.rows(); ++row) {
      for (size_t k = 0; k < numbers_.size(); ++k) {
        double& coordinate = points(row, numbers_[k]);
        coordinate = BendAt(parameters, k, coordinate).Value();
      }
    }
    return points;
  }

  Vector WarpedPoint(ConstVectorView parameters, ConstVectorView x) const {
    return Warped(parameters, x.transpose()).row(0).transpose();
  }

  // From a gradient by warped coordinates to one by x.
  void PullBack(ConstVectorView parameters, ConstVectorView x, VectorView gradient) const {
    for (size_t k = 0; k < numbers_.size(); ++k) {
      gradient[numbers_[k]] *= BendAt(parameters, k, x[numbers_[k]]).Slope();
    }
  }

 private:
  static Index CountNumbers(const CoordinateKinds& kinds) {
    return std::count(kinds.begin(), kinds.end(), CoordinateKind::kNumber);
  }

  void DoCovariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b,
                    MatrixView out) const override {
    out = inner_->Covariance(InnerPart(parameters), Warped(parameters, a), Warped(parameters, b));
  }

  void DoLowerCovariance(ConstVectorView parameters, const PointMatrix& x,
                         MatrixView out) const override {
    out = inner_->LowerCovariance(InnerPart(parameters), Warped(parameters, x));
  }

  double DoVariance(ConstVectorView parameters) const override {
    return inner_->Variance(InnerPart(parameters));
  }

  void DoAddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                          ConstVectorView weights, VectorView gradient) const override {
    Vector own = Vector::Zero(x.size());
    inner_->AddPointGradient(InnerPart(parameters), WarpedPoint(parameters, x),
                             Warped(parameters, b), weights, own);
    PullBack(parameters, x, own);
    gradient += own;
  }

  std::unique_ptr<KernelTape> DoRecord(ConstVectorView parameters,
                                       const PointMatrix& x) const override;
  std::unique_ptr<KernelAt> DoAt(ConstVectorView parameters,
                                 const PointMatrix& points) const override;

  std::unique_ptr<Kernel> inner_;
  std::vector<Index> numbers_;  // Coordinates that are bent.
};

namespace {

class WarpedTape : public KernelTape {
 public:
  WarpedTape(const WarpedKernel& kernel, ConstVectorView parameters, const PointMatrix& x)
      : kernel_(kernel),
        parameters_(parameters),
        x_(x),
        warped_(kernel.Warped(parameters, x)),
        inner_(kernel.inner().Record(kernel.InnerPart(parameters), warped_)) {
    lower_ = inner_->lower();
  }

  // A point moves in its row and in its column alike: hence the 2.
  void AddParameterGradient(const Matrix& weights, VectorView gradient) const override {
    const Index inner_count = kernel_.inner().parameter_count();
    inner_->AddParameterGradient(weights, gradient.head(inner_count));
    const Matrix both = weights.selfadjointView<Eigen::Lower>();
    for (Index i = 0; i < x_.rows(); ++i) {
      Vector by_place = Vector::Zero(x_.cols());
      kernel_.inner().AddPointGradient(kernel_.InnerPart(parameters_), warped_.row(i).transpose(),
                                       warped_, both.col(i), by_place);
      for (size_t k = 0; k < kernel_.numbers().size(); ++k) {
        const Index coordinate = kernel_.numbers()[k];
        const Bend bend = kernel_.BendAt(parameters_, k, x_(i, coordinate));
        const Index first = inner_count + 2 * static_cast<Index>(k);
        gradient[first] += 2 * by_place[coordinate] * bend.ByLogA();
        gradient[first + 1] += 2 * by_place[coordinate] * bend.ByLogB();
      }
    }
  }

 private:
  const WarpedKernel& kernel_;
  const Vector parameters_;
  const PointMatrix x_;
  const PointMatrix warped_;
  std::unique_ptr<KernelTape> inner_;
};

class WarpedKernelAt final : public KernelAt {
 public:
  WarpedKernelAt(const WarpedKernel& kernel, ConstVectorView parameters,
                 std::unique_ptr<KernelAt> inner)
      : KernelAt(inner->size(), inner->slope_columns()),
        kernel_(kernel),
        parameters_(parameters),
        inner_(std::move(inner)) {}

 private:
  void DoCovariance(const PointMatrix& x, MatrixView out) const override {
    inner_->Covariance(kernel_.Warped(parameters_, x), out);
  }
  void DoAtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const override {
    inner_->AtPoint(kernel_.WarpedPoint(parameters_, x), values, slopes);
  }
  void DoAddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                      MatrixView gradients) const override {
    Matrix own = Matrix::Zero(gradients.rows(), gradients.cols());
    inner_->AddGradients(kernel_.WarpedPoint(parameters_, x), slopes, weights, own);
    for (Index j = 0; j < own.cols(); ++j) kernel_.PullBack(parameters_, x, own.col(j));
    gradients += own;
  }

  const WarpedKernel& kernel_;
  const Vector parameters_;
  std::unique_ptr<KernelAt> inner_;
};

}  // namespace

std::unique_ptr<KernelTape> WarpedKernel::DoRecord(ConstVectorView parameters,
                                                   const PointMatrix& x) const {
  return std::make_unique<WarpedTape>(*this, parameters, x);
}

std::unique_ptr<KernelAt> WarpedKernel::DoAt(ConstVectorView parameters,
                                             const PointMatrix& points) const {
  return std::make_unique<WarpedKernelAt>(
      *this, parameters, inner_->At(InnerPart(parameters), Warped(parameters, points)));
}

std::unique_ptr<Kernel> MakeWarped(std::unique_ptr<Kernel> inner, const CoordinateKinds& kinds) {
  assert(static_cast<Index>(kinds.size()) == inner->dimension());
  return std::make_unique<WarpedKernel>(std::move(inner), kinds);
}

}  // namespace slipstream
