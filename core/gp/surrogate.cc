#include "core/gp/surrogate.h"

#include <cassert>
#include <utility>

#include "core/base/status.h"
#include "core/gp/normal.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

Predictions Surrogate::Predict(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoPredict(x);
}

Vector Surrogate::PredictMean(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoPredictMean(x);
}

PointPrediction Surrogate::PredictPoint(ConstVectorView x) const {
  assert(x.size() == dimension_);
  return DoPredictPoint(x);
}

Matrix Surrogate::JointCovariance(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoJointCovariance(x);
}

JointPredictions Surrogate::PredictJointly(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoPredictJointly(x);
}

absl::StatusOr<std::unique_ptr<Surrogate>> Surrogate::Fantasize(const PointMatrix& x) const {
  assert(x.cols() == dimension_);
  return DoFantasize(x);
}

absl::StatusOr<bool> Surrogate::Absorb(const PointMatrix& x) {
  assert(x.cols() == dimension_);
  return DoAbsorb(x);
}

void Surrogate::Remember(const PointMatrix& x) {
  assert(x.cols() == dimension_);
  DoRemember(x);
}

std::unique_ptr<Surrogate> Surrogate::Near(ConstVectorView x) const {
  assert(x.size() == dimension_);
  return DoNear(x);
}

absl::StatusOr<Matrix> DrawJointly(const Surrogate& surrogate, const PointMatrix& x, Index count,
                                   uint64_t seed) {
  // Posterior covariances come from subtraction and lose about half their digits,
  // or all where everything is known; Predict's variances stay positive there.
  JitterLadder ladder;
  ladder.last = 1e3;
  auto [predictions, covariance] = surrogate.PredictJointly(x);
  covariance.diagonal() = covariance.diagonal().cwiseMax(predictions.variance);
  SLIPSTREAM_ASSIGN_OR_RETURN(Cholesky factor, Cholesky::Of(std::move(covariance), ladder));
  Matrix draws(x.rows(), count);
  if (draws.size() == 0) return draws;
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      draws(i, j) = CounterRandomNormal(seed, static_cast<uint64_t>(i), static_cast<uint64_t>(j));
    }
  }
  draws = factor.lower() * draws;
  draws.colwise() += predictions.mean;
  return draws;
}

}  // namespace slipstream
