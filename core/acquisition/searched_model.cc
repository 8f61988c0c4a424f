#include "core/acquisition/searched_model.h"

#include <cmath>
#include <utility>
#include <vector>

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
  std::vector<Predictions> all;
  std::vector<double> divisors;
  const double sum = SumOfWeights(model);
  Vector mean = Vector::Zero(x.rows());
  for (size_t i = 0; i < model.size(); ++i) {
    all.push_back(part(model.member(i)).Predict(x));
    divisors.push_back(sum / std::exp(model.LogWeight(i)));
    mean += all.back().mean / divisors.back();
  }
  // Not the mean square less the squared mean, which loses what is small beside the mean.
  Vector variance = Vector::Zero(x.rows());
  for (size_t i = 0; i < model.size(); ++i) {
    variance += (all[i].variance + (all[i].mean - mean).cwiseAbs2()) / divisors[i];
  }
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
