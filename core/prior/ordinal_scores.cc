#include "core/prior/ordinal_scores.h"

#include <optional>

#include "core/ascent/bounded_ascent.h"
#include "core/base/status.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

constexpr int kMostScoreEvaluations = 300;
// No u gets near it.
constexpr double kScoreBound = 1e6;

struct OrderedPair {
  Index better = 0;
  Index worse = 0;
  double penalty = 0;
};

std::vector<OrderedPair> OrderedPairs(const Vector& y, const std::vector<Index>& counts,
                                      double penalty) {
  std::vector<OrderedPair> pairs;
  Index first = 0;
  for (Index count : counts) {
    for (Index i = first; i < first + count; ++i) {
      for (Index j = first; j < first + count; ++j) {
        if (y[i] > y[j]) pairs.push_back({i, j, penalty / static_cast<double>(count)});
      }
    }
    first += count;
  }
  return pairs;
}

// The slacks' part of what is minimised, and its slope in the scores.
double Slacks(const std::vector<OrderedPair>& pairs, const Vector& scores, Vector& slope) {
  double sum = 0;
  slope.setZero();
  for (const OrderedPair& pair : pairs) {
    const double slack = 1 - (scores[pair.better] - scores[pair.worse]);
    if (slack <= 0) continue;
    const double pull = pair.penalty * slack;
    sum += pull * slack;
    slope[pair.better] -= 2 * pull;
    slope[pair.worse] += 2 * pull;
  }
  return sum;
}

}  // namespace

absl::StatusOr<Vector> OrdinalScores(const Matrix& covariance, const Vector& y,
                                     const std::vector<Index>& counts, double penalty) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(covariance));
  const Matrix lower = factor.lower();
  const auto l = lower.triangularView<Eigen::Lower>();
  const std::vector<OrderedPair> pairs = OrderedPairs(y, counts, penalty);
  const Index size = y.size();
  if (pairs.empty()) return Vector(Vector::Zero(size));
  Vector scores(size);
  Vector slope(size);
  const auto function = [&](ConstVectorView u, VectorView gradient) -> std::optional<double> {
    scores.noalias() = l * u;
    const double slacks = Slacks(pairs, scores, slope);
    gradient = -u;
    gradient.noalias() -= l.transpose() * slope;
    return -0.5 * u.squaredNorm() - slacks;
  };
  AscentOptions options;
  options.max_evaluations = kMostScoreEvaluations;
  const AscentResult best =
      AscendWithinBounds(function, Vector::Zero(size), Vector::Constant(size, -kScoreBound),
                         Vector::Constant(size, kScoreBound), options);
  return Vector(l * best.x);
}

double PartInOrder(const Vector& scores, const Vector& y) {
  double pairs = 0;
  double in_order = 0;
  for (Index i = 0; i < y.size(); ++i) {
    for (Index j = 0; j < y.size(); ++j) {
      if (!(y[i] > y[j])) continue;
      pairs += 1;
      if (scores[i] > scores[j]) in_order += 1;
    }
  }
  return pairs > 0 ? in_order / pairs : 1;
}

}  // namespace slipstream
