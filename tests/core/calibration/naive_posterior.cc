#include "tests/core/calibration/naive_posterior.h"

#include "tests/core/linalg/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace slipstream {
namespace {

double ValueAt(const Model& model, const TrainingData& data, bool with_beliefs,
               const Vector& packed) {
  const double likelihood = NaiveLogLikelihood(data, packed);
  return with_beliefs ? likelihood + NaiveLogBelief(model, packed) : likelihood;
}

// Tries steps along each axis, halving them where none helps.
NaiveOptimum CompassSearch(const Model& model, const TrainingData& data, bool with_beliefs,
                           const Vector& start) {
  NaiveOptimum best{start, ValueAt(model, data, with_beliefs, start)};
  for (double step = 1; step > 2e-4;) {
    bool helped = false;
    for (Index i = 0; i < start.size(); ++i) {
      for (double sign : {-1.0, 1.0}) {
        Vector there = best.packed;
        there[i] = std::clamp(there[i] + sign * step, model.Lower()[i], model.Upper()[i]);
        if (there[i] == best.packed[i]) continue;
        const double value = ValueAt(model, data, with_beliefs, there);
        if (!(value > best.value)) continue;
        best = {there, value};
        helped = true;
      }
    }
    if (!helped) step /= 2;
  }
  return best;
}

}  // namespace

double NaiveLogLikelihood(const TrainingData& data, const Vector& packed) {
  const Index count = data.y.size();
  const Index dimension = data.x.cols();
  const double variance = std::exp(2 * packed[0]);
  Matrix covariance(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) {
      double squares = 0;
      for (Index d = 0; d < dimension; ++d) {
        const double difference = (data.x(i, d) - data.x(j, d)) / std::exp(packed[1 + d]);
        squares += difference * difference;
      }
      covariance(i, j) = variance * std::exp(-squares / 2);
    }
    covariance(i, i) += std::exp(packed[1 + dimension]) / data.repeats[i];
  }
  const Matrix root = DenseLowerFactor(covariance);
  if (!root.allFinite()) return -std::numeric_limits<double>::infinity();
  const Vector residual = data.y.array() - packed[2 + dimension];
  const Vector whitened = root.triangularView<Eigen::Lower>().solve(residual);
  return -0.5 * whitened.squaredNorm() - root.diagonal().array().log().sum() -
         0.5 * static_cast<double>(count) * std::log(2 * M_PI);
}

double NaiveLogBelief(const Model& model, const Vector& packed) {
  double value = 0;
  for (size_t i = 0; i < model.beliefs.size(); ++i) {
    const HyperparameterBelief& belief = model.beliefs[i];
    if (belief.lower == belief.upper) continue;
    const double z = (packed[static_cast<Index>(i)] - belief.location) / belief.deviation;
    value -= z * z / 2;
  }
  return value;
}

NaiveOptimum MaximizeNaively(const Model& model, const TrainingData& data, bool with_beliefs,
                             int restarts) {
  std::mt19937_64 engine(17);
  std::uniform_real_distribution<double> uniform;
  const Vector lower = model.Lower();
  const Vector upper = model.Upper();
  NaiveOptimum best{model.Location(), -std::numeric_limits<double>::infinity()};
  for (int restart = 0; restart < restarts; ++restart) {
    Vector start = model.Location();
    for (Index i = 0; restart > 0 && i < start.size(); ++i) {
      start[i] = lower[i] + uniform(engine) * (upper[i] - lower[i]);
    }
    const NaiveOptimum found = CompassSearch(model, data, with_beliefs, start);
    if (found.value > best.value) best = found;
  }
  return best;
}

Model SmoothModel(Index dimension, bool noiseless) {
  ModelOptions options;
  options.smoothness = Smoothness::kSquaredExponential;
  options.noiseless = noiseless;
  return DefaultModel(Numbers(dimension), options);
}

void Fix(Model& model, Index entry, double value) {
  HyperparameterBelief& belief = model.beliefs[static_cast<size_t>(entry)];
  belief.location = belief.lower = belief.upper = value;
}

TrainingData SampleData(Index count, Index dimension, double noise_deviation, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  TrainingData data{PointMatrix(count, dimension), Vector(count), Vector::Ones(count)};
  for (Index i = 0; i < count; ++i) {
    double value = 0;
    for (Index d = 0; d < dimension; ++d) {
      data.x(i, d) = uniform(engine);
      value += std::sin((6.0 + 2.0 * static_cast<double>(d)) * data.x(i, d));
    }
    data.y[i] = value + noise_deviation * normal(engine);
  }
  return data;
}

}  // namespace slipstream
