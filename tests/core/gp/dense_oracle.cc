#include "tests/core/gp/dense_oracle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/counter_random.h"

namespace slipstream {
namespace {

LongMatrix CovarianceBetween(const LongBelief& belief, const std::vector<LongPoint>& a,
                             const std::vector<LongPoint>& b) {
  LongMatrix result(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      result(i, j) = belief.covariance(a[static_cast<size_t>(i)], b[static_cast<size_t>(j)]);
    }
  }
  return result;
}

LongMatrix NoisyCovariance(const LongBelief& belief, const LongData& data) {
  LongMatrix result = CovarianceBetween(belief, data.points, data.points);
  for (Index i = 0; i < result.rows(); ++i) {
    result(i, i) += data.noise_variance[static_cast<size_t>(i)];
  }
  return result;
}

LongMatrix Residuals(const LongBelief& belief, const LongData& data) {
  LongVector residuals = data.y;
  for (size_t i = 0; i < residuals.size(); ++i) residuals[i] -= belief.mean(data.points[i]);
  return ColumnOf(residuals);
}

}  // namespace

LongVector LongPosterior::Variance() const {
  LongVector result;
  for (Index i = 0; i < covariance.rows(); ++i) result.push_back(covariance(i, i));
  return result;
}

std::vector<LongPoint> ToLongPoints(const PointMatrix& x, int task) {
  std::vector<LongPoint> points;
  for (Index i = 0; i < x.rows(); ++i) points.push_back(ToLongPoint(x.row(i).transpose(), task));
  return points;
}

LongPoint ToLongPoint(const Vector& x, int task) { return {task, ToLong(x)}; }

LongData ToLongData(const Observations& observations, int task) {
  return {ToLongPoints(observations.x, task), ToLong(observations.y),
          ToLong(observations.noise_variance)};
}

LongData Together(const LongData& a, const LongData& b) {
  LongData result = a;
  result.points.insert(result.points.end(), b.points.begin(), b.points.end());
  result.y.insert(result.y.end(), b.y.begin(), b.y.end());
  result.noise_variance.insert(result.noise_variance.end(), b.noise_variance.begin(),
                               b.noise_variance.end());
  return result;
}

LongData Part(const LongData& data, size_t first, size_t count) {
  LongData result;
  for (size_t i = first; i < first + count; ++i) {
    result.points.push_back(data.points[i]);
    result.y.push_back(data.y[i]);
    result.noise_variance.push_back(data.noise_variance[i]);
  }
  return result;
}

LongBelief Accumulated(std::vector<LongBelief> processes) {
  const auto mean = [processes](const LongPoint& a) {
    long double sum = 0;
    for (int t = 0; t <= a.task; ++t) sum += processes[static_cast<size_t>(t)].mean({0, a.x});
    return sum;
  };
  const auto covariance = [processes](const LongPoint& a, const LongPoint& b) {
    long double sum = 0;
    for (int t = 0; t <= std::min(a.task, b.task); ++t) {
      sum += processes[static_cast<size_t>(t)].covariance({0, a.x}, {0, b.x});
    }
    return sum;
  };
  return {mean, covariance};
}

LongPosterior Conditioned(const LongBelief& belief, const LongData& data,
                          const std::vector<LongPoint>& at) {
  const LongMatrix cross = CovarianceBetween(belief, at, data.points);
  const LongMatrix k = NoisyCovariance(belief, data);
  const LongMatrix shift = Multiply(cross, Solve(k, Residuals(belief, data)));
  const LongMatrix explained = Multiply(cross, Solve(k, Transpose(cross)));
  LongPosterior posterior{{}, CovarianceBetween(belief, at, at)};
  for (Index i = 0; i < explained.rows(); ++i) {
    posterior.mean.push_back(belief.mean(at[static_cast<size_t>(i)]) + shift(i, 0));
    for (Index j = 0; j < explained.columns(); ++j) posterior.covariance(i, j) -= explained(i, j);
  }
  return posterior;
}

long double LogLikelihood(const LongBelief& belief, const LongData& data) {
  const LongMatrix k = NoisyCovariance(belief, data);
  const LongMatrix residuals = Residuals(belief, data);
  const LongMatrix square = Multiply(Transpose(residuals), Solve(k, residuals));
  const auto size = static_cast<long double>(data.size());
  return -(square(0, 0) + LogDeterminant(k) +
           size * std::log(2 * std::numbers::pi_v<long double>)) /
         2;
}

LongGradients ConditionedGradients(const LongBelief& belief, const LongData& data,
                                   const LongPoint& x, const CoordinateKinds& kinds) {
  LongGradients gradients{LongVector(x.x.size(), 0), LongVector(x.x.size(), 0)};
  for (size_t i = 0; i < x.x.size(); ++i) {
    if (kinds[i] == CoordinateKind::kWord) continue;
    const auto posterior = [&](long double coordinate) {
      LongPoint moved = x;
      moved.x[i] = coordinate;
      return Conditioned(belief, data, {moved});
    };
    gradients.mean[i] =
        Derivative([&](long double coordinate) { return posterior(coordinate).mean[0]; }, x.x[i]);
    gradients.variance[i] = Derivative(
        [&](long double coordinate) { return posterior(coordinate).covariance(0, 0); }, x.x[i]);
  }
  return gradients;
}

PointMatrix RandomPoints(const CoordinateKinds& kinds, Index count, uint64_t seed) {
  PointMatrix points(count, static_cast<Index>(kinds.size()));
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < points.cols(); ++j) {
      const double u =
          CounterRandomUniform(seed, static_cast<uint64_t>(i), static_cast<uint64_t>(j));
      const bool is_word = kinds[static_cast<size_t>(j)] == CoordinateKind::kWord;
      points(i, j) = is_word ? (std::floor(3 * u) + 0.5) / 3 : u;
    }
  }
  return points;
}

Vector RandomVector(Index size, double low, double high, uint64_t seed) {
  Vector result(size);
  for (Index i = 0; i < size; ++i) {
    result[i] = low + (high - low) * CounterRandomUniform(seed, static_cast<uint64_t>(i), 1000003);
  }
  return result;
}

}  // namespace slipstream
