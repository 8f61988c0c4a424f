#include "core/acquisition/searched_model.h"

#include <cmath>
#include <utility>

#include "core/gp/feasible_surrogate.h"

namespace slipstream {
namespace {

double SumOfWeights(const SearchedModel& model) {
  double all = 0;
  for (size_t i = 0; i < model.size(); ++i) all += std::exp(model.LogWeight(i));
  return all;
}

Predictions MixtureOf(const SearchedModel& model, const PointMatrix& x,
                      const Surrogate& (*part)(const Surrogate& member)) {
  const double all = SumOfWeights(model);
  Vector mean = Vector::Zero(x.rows());
  Vector square = Vector::Zero(x.rows());
  for (size_t i = 0; i < model.size(); ++i) {
    const Predictions there = part(model.member(i)).Predict(x);
    const double share = all / std::exp(model.LogWeight(i));
    mean += there.mean / share;
    square += (there.variance + there.mean.cwiseProduct(there.mean)) / share;
  }
  Vector variance = (square - mean.cwiseProduct(mean)).cwiseMax(0);
  return {std::move(mean), std::move(variance)};
}

const Surrogate& Itself(const Surrogate& member) { return member; }

}  // namespace

Predictions PredictTogether(const SearchedModel& model, const PointMatrix& x) {
  return MixtureOf(model, x, Itself);
}

Predictions PredictMeasured(const SearchedModel& model, const PointMatrix& x) {
  return MixtureOf(model, x, WhereMeasured);
}

Vector MeanOutcomesTogether(const SearchedModel& model, const PointMatrix& x) {
  const double all = SumOfWeights(model);
  Vector mean = Vector::Zero(x.rows());
  for (size_t i = 0; i < model.size(); ++i) {
    mean += MeanOutcomes(model.member(i), x) / (all / std::exp(model.LogWeight(i)));
  }
  return mean;
}

double NoiseTogether(const SearchedModel& model) {
  double all = 0;
  double noise = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    const double weight = std::exp(model.LogWeight(i));
    all += weight;
    noise += weight * model.NoiseVariance(i);
  }
  return noise / all;
}

}  // namespace slipstream
