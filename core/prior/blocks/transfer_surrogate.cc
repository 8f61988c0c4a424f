#include "core/prior/blocks/transfer_surrogate.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/status.h"
#include "core/gp/remembered_points.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

// cov(a, b) - cov(a, Z) S^-1 cov(Z, b) with S = cov(Z, Z) and a little noise. Further points are
// appended to Z and to the factor of S.
class Fantasy final : public TransferSurrogate {
 public:
  static absl::StatusOr<std::unique_ptr<Surrogate>> Of(std::unique_ptr<TransferSurrogate> base,
                                                       PointMatrix seen) {
    base->Expect(seen);
    Matrix covariance = base->Covariance(seen, seen);
    covariance.diagonal() *= 1 + kPendingNoisePart;
    SLIPSTREAM_ASSIGN_OR_RETURN(Cholesky factor, Cholesky::Of(std::move(covariance)));
    return std::unique_ptr<Surrogate>(
        new Fantasy(std::move(base), std::move(seen), std::move(factor)));
  }

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<Fantasy>(*this);
  }

 private:
  Fantasy(std::shared_ptr<TransferSurrogate> base, PointMatrix seen, Cholesky factor)
      : TransferSurrogate(base->dimension()),
        base_(std::move(base)),
        seen_(std::move(seen)),
        factor_(std::move(factor)) {}

  Predictions DoPredict(const PointMatrix& x) const override {
    if (remembered_.Are(x)) return remembered_.Predict();
    return Reduced(base_->Predict(x), SolvedCross(x));
  }

  JointPredictions DoPredictJointly(const PointMatrix& x) const override {
    JointPredictions joint = base_->PredictJointly(x);
    const Matrix cross = SolvedCross(x);
    joint.covariance.noalias() -= cross.transpose() * cross;
    return {Reduced(std::move(joint.at_points), cross), std::move(joint.covariance)};
  }

  // The factor's inverse times cov(Z, x).
  Matrix SolvedCross(const PointMatrix& x) const {
    Matrix cross = base_->Covariance(seen_, x);
    factor_.SolveLower(cross);
    return cross;
  }

  static Predictions Reduced(Predictions result, const Matrix& cross) {
    const Vector least = kLeastVariancePart * result.variance;
    result.variance -= cross.colwise().squaredNorm().transpose();
    result.variance = result.variance.cwiseMax(least);
    return result;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    PointPrediction result = base_->PredictPoint(x);
    Vector cross = base_->Covariance(seen_, x.transpose()).col(0);
    factor_.SolveLower(cross);
    const double least = kLeastVariancePart * result.variance;
    result.variance -= cross.squaredNorm();
    if (!(result.variance > least)) {  // Flat where it is clamped.
      result.variance = least;
      result.variance_gradient.setZero();
      return result;
    }
    factor_.SolveLowerTransposed(cross);
    cross *= -2;
    base_->AddCovarianceGradient(x, seen_, cross, result.variance_gradient);
    return result;
  }

  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    Matrix covariance = base_->Covariance(a, b);
    covariance.noalias() -= SolvedCross(a).transpose() * SolvedCross(b);
    return covariance;
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override {
    base_->AddCovarianceGradient(x, b, weights, gradient);
    const Vector pull = -factor_.Solve(base_->Covariance(seen_, b) * weights);
    base_->AddCovarianceGradient(x, seen_, pull, gradient);
  }

  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override {
    PointMatrix all(seen_.rows() + x.rows(), x.cols());
    all << seen_, x;
    return Of(base_->Clone(), std::move(all));
  }

  absl::StatusOr<bool> DoAbsorb(const PointMatrix& x) override {
    Matrix solved = SolvedCross(x);
    Matrix corner = base_->Covariance(x, x);
    corner.diagonal() *= 1 + kPendingNoisePart;
    const Index earlier = seen_.rows();
    if (!factor_.AppendBlock(solved, std::move(corner)).ok()) return false;
    seen_.conservativeResize(earlier + x.rows(), Eigen::NoChange);
    seen_.bottomRows(x.rows()) = x;
    if (base_.use_count() > 1) base_ = base_->Clone();
    base_->Expect(seen_);
    if (!remembered_.empty()) {
      remembered_.Grow(factor_, earlier, base_->Covariance(x, remembered_.x()));
    }
    return true;
  }

  void DoRemember(const PointMatrix& x) override {
    remembered_ = {};
    Predictions before = base_->Predict(x);
    remembered_ = RememberedPoints(x, std::move(before.mean), std::move(before.variance));
    remembered_.Grow(factor_, 0, base_->Covariance(seen_, x));
  }

  std::shared_ptr<TransferSurrogate> base_;  // Changed by Absorb alone, and then not shared.
  PointMatrix seen_;
  Cholesky factor_;
  RememberedPoints remembered_;
};

}  // namespace

Matrix TransferSurrogate::Covariance(const PointMatrix& a, const PointMatrix& b) const {
  assert(a.cols() == dimension() && b.cols() == dimension());
  return DoCovariance(a, b);
}

void TransferSurrogate::AddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                              ConstVectorView weights, VectorView gradient) const {
  assert(x.size() == dimension() && b.rows() == weights.size());
  DoAddCovarianceGradient(x, b, weights, gradient);
}

bool TransferSurrogate::AreExpected(const PointMatrix& x) const {
  constexpr Index kLargeBatch = 28;  // More values than a sweep tries of most parameters.
  return x.rows() >= kLargeBatch ||
         std::any_of(expected_.begin(), expected_.end(),
                     [&](const PointMatrix& points) { return AreEqual(points, x); });
}

Matrix TransferSurrogate::DoJointCovariance(const PointMatrix& x) const {
  return DoCovariance(x, x);
}

absl::StatusOr<std::unique_ptr<Surrogate>> TransferSurrogate::DoFantasize(
    const PointMatrix& x) const {
  return Fantasy::Of(Clone(), x);
}

}  // namespace slipstream
