#include "core/prior/printed_difference.h"

#include <algorithm>
#include <utility>

#include "core/base/status.h"
#include "core/linalg/spectrum.h"

namespace slipstream {
namespace {

struct PrintedParts {
  // The known part alone, as a surrogate without observations and without d.
  std::shared_ptr<const TransferSurrogate> known;
  // With the noise of each result: for covariances.
  std::shared_ptr<const TransferSurrogate> per_result;
  OwnPart own;
  PointMatrix x;
  Matrix vectors;    // Q.
  Vector values;     // e.
  Vector residuals;  // Q^T r.
  double noise = 0;
};

class PrintedDifference final : public TransferSurrogate {
 public:
  explicit PrintedDifference(std::shared_ptr<const PrintedParts> fitted)
      : TransferSurrogate(fitted->known->dimension()), fitted_(std::move(fitted)) {}

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<PrintedDifference>(*this);
  }

 private:
  Predictions DoPredict(const PointMatrix& x) const override {
    const PrintedParts& f = *fitted_;
    Predictions result = f.known->Predict(x);
    if (f.x.rows() == 0) {
      result.variance.array() += result.variance.array() + f.noise;
      return result;
    }
    const double most = f.own.kernel->Variance(f.own.parameters);
    const Matrix rotated =
        f.vectors.transpose() * f.own.kernel->Covariance(f.own.parameters, f.x, x);
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector scale = (f.values.array() + result.variance[i] + f.noise).inverse();
      result.mean[i] += rotated.col(i).cwiseProduct(scale).dot(f.residuals);
      const double left = most - rotated.col(i).cwiseAbs2().dot(scale);
      result.variance[i] += std::max(left, kLeastVariancePart * most);
    }
    return result;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    const PrintedParts& f = *fitted_;
    PointPrediction result = f.known->PredictPoint(x);
    if (f.x.rows() == 0) {
      result.variance += result.variance + f.noise;
      result.variance_gradient *= 2;
      return result;
    }
    const double most = f.own.kernel->Variance(f.own.parameters);
    const Vector rotated = f.vectors.transpose() *
                           f.own.kernel->Covariance(f.own.parameters, f.x, x.transpose()).col(0);
    const Vector scale = (f.values.array() + result.variance + f.noise).inverse();
    const Vector scaled = rotated.cwiseProduct(scale);
    const Vector known_gradient = result.variance_gradient;  // ds/dx.
    result.mean += scaled.dot(f.residuals);
    result.mean_gradient -= scaled.cwiseProduct(scale).dot(f.residuals) * known_gradient;
    f.own.kernel->AddPointGradient(f.own.parameters, x, f.x,
                                   f.vectors * f.residuals.cwiseProduct(scale),
                                   result.mean_gradient);
    const double left = most - scaled.dot(rotated);
    result.variance += std::max(left, kLeastVariancePart * most);
    if (left > kLeastVariancePart * most) {
      result.variance_gradient += scaled.squaredNorm() * known_gradient;
      f.own.kernel->AddPointGradient(f.own.parameters, x, f.x, -2 * (f.vectors * scaled),
                                     result.variance_gradient);
    }
    return result;
  }

  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    return fitted_->per_result->Covariance(a, b);
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override {
    fitted_->per_result->AddCovarianceGradient(x, b, weights, gradient);
  }

  std::shared_ptr<const PrintedParts> fitted_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitPrintedDifference(
    const std::vector<AddedTerm>& terms, const OwnPart& own, const Observations& observations,
    double noise_variance) {
  auto fitted = std::make_shared<PrintedParts>();
  const Index dimension = own.kernel->dimension();
  OwnPart nothing = own;
  nothing.parameters[0] = -300;  // The amplitude's logarithm: d = 0.
  // Cached predictions round otherwise; they are not worth other suggestions here.
  std::vector<AddedTerm> uncached = terms;
  for (AddedTerm& term : uncached) term.cache = nullptr;
  SLIPSTREAM_ASSIGN_OR_RETURN(fitted->known,
                              FitAddedProcess(uncached, nothing, SourceErrors::kIndependent,
                                              {PointMatrix(0, dimension), Vector(0), Vector(0)}));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      fitted->per_result, FitAddedProcess(terms, own, SourceErrors::kIndependent, observations));
  fitted->own = own;
  fitted->x = observations.x;
  fitted->noise = noise_variance;
  if (observations.y.size() > 0) {
    const Vector residual = observations.y - fitted->known->Predict(observations.x).mean;
    SLIPSTREAM_ASSIGN_OR_RETURN(
        Spectrum spectrum,
        SpectrumOf(own.kernel->Covariance(own.parameters, observations.x, observations.x)));
    fitted->vectors = std::move(spectrum.vectors);
    fitted->values = spectrum.values.cwiseMax(0);
    fitted->noise = observations.noise_variance.mean();
    fitted->residuals = fitted->vectors.transpose() * residual;
  }
  return std::unique_ptr<TransferSurrogate>(std::make_unique<PrintedDifference>(std::move(fitted)));
}

}  // namespace slipstream
