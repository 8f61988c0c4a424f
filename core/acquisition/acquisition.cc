#include "core/acquisition/acquisition.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/status.h"

namespace slipstream {
namespace {

// Replaces a NaN by a value that is worse than any other.
double Ordered(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

Vector NoValues(Index count) {
  return Vector::Constant(count, -std::numeric_limits<double>::infinity());
}

// Not Eigen's exp, whose vectors never underflow to 0.
Vector Exponentials(const Vector& values, double most) {
  return values.unaryExpr([most](double value) { return std::exp(value - most); });
}

// Each member's share in the weighted average of `values`, and the average.
double Average(bool is_logarithmic, const Vector& values, const Vector& log_weights,
               Vector& shares) {
  const Vector weights = Exponentials(log_weights, 0);
  const double all = weights.sum();
  if (!is_logarithmic || values.size() == 1) {
    shares = weights / all;
    return values.dot(weights) / all;
  }
  const Vector weighted = values + log_weights;
  const double most = weighted.maxCoeff();
  if (!std::isfinite(most)) {
    shares = weights / all;
    return most;
  }
  shares = Exponentials(weighted, most);
  const double sum = shares.sum();
  shares /= sum;
  return most + std::log(sum / all);
}

}  // namespace

Acquisition::Acquisition(std::vector<RuledSurrogate> members, const Deadline& deadline)
    : members_(std::move(members)), deadline_(deadline) {
  assert(!members_.empty());
}

Vector Acquisition::LogWeights() const {
  Vector log_weights(static_cast<Index>(members_.size()));
  for (size_t k = 0; k < members_.size(); ++k) {
    log_weights[static_cast<Index>(k)] = members_[k].log_weight;
  }
  return log_weights;
}

Vector Acquisition::Values(const PointMatrix& x) const {
  const auto count = static_cast<Index>(members_.size());
  Matrix by_member(x.rows(), count);
  for (Index k = 0; k < count; ++k) {
    const RuledSurrogate& member = members_[static_cast<size_t>(k)];
    for (Index first = 0; first < x.rows(); first += kMostPredictedAtOnce) {
      if (k + first > 0 && deadline_.has_passed()) return NoValues(x.rows());
      const Index end = std::min(x.rows(), first + kMostPredictedAtOnce);
      const Predictions predictions =
          end - first == x.rows() ? member.surrogate->Predict(x)
                                  : member.surrogate->Predict(x.middleRows(first, end - first));
      for (Index i = first; i < end; ++i) {
        by_member(i, k) = Ordered(
            member.rule
                ->Evaluate(predictions.mean[i - first], std::sqrt(predictions.variance[i - first]))
                .value);
      }
    }
  }
  if (count == 1) return by_member.col(0);
  Vector values(x.rows());
  Vector shares;
  const Vector log_weights = LogWeights();
  for (Index i = 0; i < x.rows(); ++i) {
    values[i] = Average(members_.front().rule->is_logarithmic(), by_member.row(i).transpose(),
                        log_weights, shares);
  }
  return values;
}

double Acquisition::ValueAndGradient(ConstVectorView x, VectorView gradient) const {
  const auto count = static_cast<Index>(members_.size());
  Vector values(count);
  Matrix gradients(x.size(), count);
  for (Index k = 0; k < count; ++k) {
    const RuledSurrogate& member = members_[static_cast<size_t>(k)];
    const PointPrediction there = member.surrogate->PredictPoint(x);
    const double deviation = std::sqrt(there.variance);
    const Utility utility = member.rule->Evaluate(there.mean, deviation);
    values[k] = Ordered(utility.value);
    gradients.col(k) = utility.by_mean * there.mean_gradient +
                       utility.by_deviation / (2 * deviation) * there.variance_gradient;
  }
  Vector shares;
  const double value =
      Average(members_.front().rule->is_logarithmic(), values, LogWeights(), shares);
  gradient.setZero();
  for (Index k = 0; k < count; ++k) {  // Far below, a logarithm's slope may be infinite.
    if (shares[k] > 0) gradient += shares[k] * gradients.col(k);
  }
  return value;
}

double IncumbentOf(const Surrogate& surrogate, const PointMatrix& x) {
  return surrogate.PredictMean(x).maxCoeff();
}

double MaxValueTargetFromResults(const Vector& results) { return results.maxCoeff() + 0.1; }

absl::StatusOr<double> MaxValueTargetFromDraws(const Surrogate& surrogate, const PointMatrix& x,
                                               double incumbent, uint64_t seed) {
  constexpr Index kDraws = 64;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Matrix draws, DrawJointly(surrogate, x, kDraws, seed));
  return std::max(incumbent, draws.colwise().maxCoeff().mean());
}

}  // namespace slipstream
