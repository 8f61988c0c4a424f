#include "core/strategy/mixed_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/gp/feasible_surrogate.h"

namespace slipstream {

MixedModel::MixedModel(const SearchedModel& without_sources, const SearchedModel& with_sources,
                       double share)
    : without_sources_(without_sources), with_sources_(with_sources), share_(share) {}

size_t MixedModel::size() const { return without_sources_.size() + with_sources_.size(); }

const Surrogate& MixedModel::member(size_t member) const {
  const size_t first = without_sources_.size();
  return member < first ? without_sources_.member(member) : with_sources_.member(member - first);
}

double MixedModel::LogWeight(size_t member) const {
  const size_t first = without_sources_.size();
  return member < first ? std::log1p(-share_) - std::log(static_cast<double>(first))
                        : std::log(share_) - std::log(static_cast<double>(with_sources_.size()));
}

double MixedModel::NoiseVariance(size_t member) const {
  const size_t first = without_sources_.size();
  return member < first ? without_sources_.NoiseVariance(member)
                        : with_sources_.NoiseVariance(member - first);
}

double MixedModel::Incumbent(size_t member) const {
  const size_t first = without_sources_.size();
  return member < first ? without_sources_.Incumbent(member)
                        : with_sources_.Incumbent(member - first);
}

std::vector<Configuration> MixedModel::BestConfigurations(size_t count) const {
  std::vector<Configuration> heavier = with_sources_.BestConfigurations(count);
  std::vector<Configuration> lighter = without_sources_.BestConfigurations(count);
  if (share_ < 0.5) std::swap(heavier, lighter);
  std::vector<Configuration> best;
  const auto add = [&](const std::vector<Configuration>& from, size_t place) {
    if (place >= from.size() || best.size() >= count) return;
    if (std::find(best.begin(), best.end(), from[place]) == best.end()) best.push_back(from[place]);
  };
  for (size_t place = 0; place < std::max(heavier.size(), lighter.size()); ++place) {
    add(heavier, place);
    add(lighter, place);
  }
  return best;
}

Forecast ForecastAt(const SearchedModel& model, const PointMatrix& point) {
  // A forecast is only ever judged by a trial that has a value.
  const Predictions there = PredictMeasured(model, point);
  return {there.mean[0], std::sqrt(std::max(there.variance[0] + NoiseTogether(model), 1e-12))};
}

}  // namespace slipstream
