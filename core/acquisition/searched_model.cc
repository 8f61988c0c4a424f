#include "core/acquisition/searched_model.h"

#include <cmath>
#include <utility>

namespace slipstream {

Predictions PredictTogether(const SearchedModel& model, const PointMatrix& x) {
  double all = 0;
  for (size_t i = 0; i < model.size(); ++i) all += std::exp(model.LogWeight(i));
  Vector mean = Vector::Zero(x.rows());
  Vector square = Vector::Zero(x.rows());
  for (size_t i = 0; i < model.size(); ++i) {
    const Predictions there = model.member(i).Predict(x);
    const double share = all / std::exp(model.LogWeight(i));
    mean += there.mean / share;
    square += (there.variance + there.mean.cwiseProduct(there.mean)) / share;
  }
  Vector variance = (square - mean.cwiseProduct(mean)).cwiseMax(0);
  return {std::move(mean), std::move(variance)};
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
