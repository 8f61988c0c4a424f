// Exact Gaussian-process regression: any prior, noise of its own for each
// observation.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(
//       GaussianProcess process,
//       GaussianProcess::Fit(prior, {x, y, noise_variance}));
//   Predictions there = process.Predict(candidates);
//
// With K = c(X, X) + diag(v) + jitter, L L^T = K and r = y - m(X)
// (Rasmussen and Williams 2006, algorithm 2.1):
//   mean(x) = m(x) + c(x, X) K^-1 r
//   variance(x) = c(x, x) - |L^-1 c(X, x)|^2, at least 1e-12 c(x, x)
#ifndef SLIPSTREAM_CORE_GP_GAUSSIAN_PROCESS_H_
#define SLIPSTREAM_CORE_GP_GAUSSIAN_PROCESS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/gp/gaussian_prior.h"
#include "core/gp/remembered_points.h"
#include "core/gp/surrogate.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

struct Observations {
  PointMatrix x;
  Vector y;
  Vector noise_variance;  // One for each, not negative.
};

class GaussianProcess : public Surrogate {
 public:
  // FAILED_PRECONDITION when something is not finite or the covariance is
  // indefinite in spite of all jitter. No observations are fine.
  static absl::StatusOr<GaussianProcess> Fit(std::shared_ptr<const GaussianPrior> prior,
                                             Observations observations,
                                             const JitterLadder& ladder = JitterLadder());

  // One more observation, in O(n^2); climbs the ladder again, in O(n^3), where
  // the grown covariance is indefinite. FAILED_PRECONDITION as Fit; then
  // nothing has changed.
  absl::Status Append(ConstVectorView x, double y, double noise_variance);

  Index size() const { return observations_.y.size(); }
  const Observations& observations() const { return observations_; }
  const GaussianPrior& prior() const { return *prior_; }
  const std::shared_ptr<const GaussianPrior>& shared_prior() const { return prior_; }
  double jitter() const { return factor_.jitter(); }
  // L; its leading rows are the factor of the first results alone.
  const Cholesky& factor() const { return factor_; }
  // K^-1 r.
  const Vector& weights() const { return alpha_; }

  // The posterior covariance of the function between two sets of points.
  Matrix CrossCovariance(const PointMatrix& a, const PointMatrix& b) const;
  // The same from Whitened(a) and Whitened(b), for points that come again.
  Matrix CrossCovariance(const PointMatrix& a, const Matrix& whitened_a, const PointMatrix& b,
                         const Matrix& whitened_b) const;
  // L^-1 c(X, x), one column a point.
  Matrix Whitened(const PointMatrix& x) const;
  // Adds sum_i weights[i] d cov(x, b_i)/dx of the posterior, the b_i held.
  void AddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                             VectorView gradient) const;

 private:
  GaussianProcess(std::shared_ptr<const GaussianPrior> prior, Observations observations,
                  const JitterLadder& ladder);
  absl::Status Factorise();
  absl::Status CheckWeights() const;

  Predictions DoPredict(const PointMatrix& x) const override;
  PointPrediction DoPredictPoint(ConstVectorView x) const override;
  Matrix DoJointCovariance(const PointMatrix& x) const override;
  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override;
  Vector DoPredictMean(const PointMatrix& x) const override;
  absl::StatusOr<bool> DoAbsorb(const PointMatrix& x) override;
  void DoRemember(const PointMatrix& x) override;
  std::unique_ptr<Surrogate> DoNear(ConstVectorView x) const override;

  void AddObservations(const PointMatrix& x, const Vector& y, const Vector& noise_variance);

  std::shared_ptr<const GaussianPrior> prior_;
  Observations observations_;
  JitterLadder ladder_;
  Cholesky factor_;
  Vector whitened_;  // L^-1 r.
  Vector alpha_;     // K^-1 r.
  RememberedPoints remembered_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_GAUSSIAN_PROCESS_H_
