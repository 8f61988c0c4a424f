// What is believed of the objective after its data: all that acquisitions see
// of a model.
//
// Fitted; thread-safe but for Absorb and Remember. Values are on the model's own scale,
// where more is better (OutputTransform leads there and back).
#ifndef SLIPSTREAM_CORE_GP_SURROGATE_H_
#define SLIPSTREAM_CORE_GP_SURROGATE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace slipstream {

// Rounding must not make a variance zero or negative: none is less than this
// part of the variance before the data.
inline constexpr double kLeastVariancePart = 1e-12;
// The number of points predicted at a time, so that their covariances fit into the CPU's cache.
inline constexpr Index kPredictionBlock = 256;

// Predictions of the function itself, not of a noisy result.
struct Predictions {
  Vector mean;
  Vector variance;  // Positive.
};

struct PointPrediction {
  double mean = 0;
  double variance = 0;  // Positive.
  Vector mean_gradient;
  Vector variance_gradient;
};

struct JointPredictions {
  Predictions at_points;
  Matrix covariance;
};

class Surrogate {
 public:
  virtual ~Surrogate() = default;

  Index dimension() const { return dimension_; }

  // A surrogate may cache its answers for batches that are likely to come again.
  Predictions Predict(const PointMatrix& x) const;
  // Predict's mean alone.
  Vector PredictMean(const PointMatrix& x) const;
  // At one point, with gradients in x (0 along categories).
  PointPrediction PredictPoint(ConstVectorView x) const;
  // Joint posterior covariance of the function at the points.
  Matrix JointCovariance(const PointMatrix& x) const;
  // Both, of points to draw at. Nothing is cached: such points do not come again.
  JointPredictions PredictJointly(const PointMatrix& x) const;

  // The posterior if the mean had been seen at `x` without noise: the mean stays as it
  // is, the variance shrinks. FAILED_PRECONDITION when that cannot be computed.
  absl::StatusOr<std::unique_ptr<Surrogate>> Fantasize(const PointMatrix& x) const;

  // Fantasize for many points and many times: the surrogate itself becomes what Fantasize would
  // return, but for rounding, at the cost of appended points. False, with nothing changed, if
  // not supported. Not thread-safe.
  absl::StatusOr<bool> Absorb(const PointMatrix& x);
  // Announces that Predict will be asked for exactly these points repeatedly between calls of
  // Absorb, so that their predictions may be kept up to date; the latest such points count. Not
  // thread-safe.
  void Remember(const PointMatrix& x);
  // A surrogate that is nearly the same around `x` and faster to evaluate at single points there;
  // null where there is none. This one must outlive it.
  std::unique_ptr<Surrogate> Near(ConstVectorView x) const;

 protected:
  explicit Surrogate(Index dimension) : dimension_(dimension) {}

 private:
  // Called with points of the right dimension.
  virtual Predictions DoPredict(const PointMatrix& x) const = 0;
  virtual PointPrediction DoPredictPoint(ConstVectorView x) const = 0;
  virtual Matrix DoJointCovariance(const PointMatrix& x) const = 0;
  // To be overridden where DoPredict caches.
  virtual JointPredictions DoPredictJointly(const PointMatrix& x) const {
    return {DoPredict(x), DoJointCovariance(x)};
  }
  virtual absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const = 0;
  virtual Vector DoPredictMean(const PointMatrix& x) const { return DoPredict(x).mean; }
  virtual absl::StatusOr<bool> DoAbsorb(const PointMatrix& /*x*/) { return false; }
  virtual void DoRemember(const PointMatrix& /*x*/) {}
  virtual std::unique_ptr<Surrogate> DoNear(ConstVectorView /*x*/) const { return nullptr; }

  Index dimension_;
};

// `count` joint draws of the function at the points, one a column, a pure
// function of the seed. FAILED_PRECONDITION when the joint covariance cannot be
// factorised.
absl::StatusOr<Matrix> DrawJointly(const Surrogate& surrogate, const PointMatrix& x, Index count,
                                   uint64_t seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_SURROGATE_H_
