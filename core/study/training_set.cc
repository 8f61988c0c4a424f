#include "core/study/training_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/even_parts.h"
#include "core/space/candidate_list.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

struct Result {
  const Configuration* configuration = nullptr;
  double mean = 0;
  double count = 0;
  std::vector<double> repeats = {};  // All values, if there are several.
};

// Running means, so that no sum overflows.
std::vector<Result> MergeRepeats(const StudyView& view, size_t& measured) {
  std::vector<Result> results;
  ConfigurationIndex index;
  for (const EndedTrial& trial : view.ended) {
    if (!InformsModels(trial)) continue;
    ++measured;
    const auto [place, is_new] =
        index.try_emplace(&trial.configuration, static_cast<int64_t>(results.size()));
    if (is_new) results.push_back({&trial.configuration, 0, 0});
    Result& result = results[static_cast<size_t>(place->second)];
    if (result.count == 1) result.repeats = {result.mean};
    if (result.count >= 1) result.repeats.push_back(*trial.value);
    result.count += 1;
    result.mean += *trial.value / result.count - result.mean / result.count;
  }
  return results;
}

// Crowded results are weighed up to so many, as that takes the square of their number.
constexpr size_t kMostWeighed = 1000;

std::vector<Configuration> ConfigurationsOf(const std::vector<Result>& results) {
  std::vector<Configuration> configurations;
  for (const Result& result : results) configurations.push_back(*result.configuration);
  return configurations;
}

// Repeats count as so far apart at most, as larger numbers have a finite likelihood nowhere.
constexpr double kLargestSpread = 1e12;

// The sum of the squared distances of the values, on the scale of `transform`, from their mean.
template <typename Limit>
double SpreadOf(const std::vector<double>& values, const OutputTransform& transform,
                const Limit& limit) {
  if (values.empty()) return 0;
  Vector scaled(static_cast<Index>(values.size()));
  for (Index i = 0; i < scaled.size(); ++i) {
    scaled[i] = transform.Apply(limit(values[static_cast<size_t>(i)]));
  }
  const double spread = (scaled.array() - scaled.mean()).square().sum();
  return spread < kLargestSpread ? spread : kLargestSpread;
}

// The latest `most` configurations whose trials ended so.
PointMatrix LatestThatEnded(Ending ending, const StudyView& view, size_t most) {
  std::vector<Configuration> latest;
  for (auto trial = view.ended.rbegin(); trial != view.ended.rend(); ++trial) {
    if (latest.size() >= most) break;
    if (trial->ending == ending) latest.push_back(trial->configuration);
  }
  std::reverse(latest.begin(), latest.end());
  return EncodeAll(*view.space, latest);
}

// Half of the room is for each kind, and what one does not need is for the other: many failures in
// a row must not make the model forget where nothing has a value.
void CollectWithoutValue(const StudyView& view, size_t most, TrainingSet& set) {
  const auto count = [&view](Ending ending) {
    return static_cast<size_t>(
        std::count_if(view.ended.begin(), view.ended.end(),
                      [ending](const EndedTrial& trial) { return trial.ending == ending; }));
  };
  const size_t failed = std::min(count(Ending::kFailed),
                                 most - std::min(count(Ending::kInfeasible), most - most / 2));
  set.infeasible = LatestThatEnded(Ending::kInfeasible, view, most - failed);
  set.failed = LatestThatEnded(Ending::kFailed, view, failed);
}

}  // namespace

std::vector<double> CrowdingWeights(const PointMatrix& x) {
  constexpr double kCrowded = 0.1;
  std::vector<double> weights;
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector distances = (x.rowwise() - x.row(i)).cwiseAbs().rowwise().maxCoeff();
    weights.push_back(1 / static_cast<double>((distances.array() <= kCrowded).count()));
  }
  return weights;
}

double LargestCost(const std::vector<double>& costs, const std::vector<double>& weights,
                   double reach) {
  constexpr size_t kLeast = 10;
  const double infinite = std::numeric_limits<double>::infinity();
  if (!(reach > 0) || costs.size() < kLeast) return infinite;
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs[a] < costs[b]; });
  const auto weight = [&](size_t place) { return weights.empty() ? 1 : weights[place]; };
  double left = 0;
  for (size_t place : order) left += weight(place) / 2;
  const auto middle = std::find_if(order.begin(), order.end() - 1,
                                   [&](size_t place) { return (left -= weight(place)) <= 0; });
  const double median = costs[*middle];
  const double best = costs[order.front()];
  // If half of the results are equal, there is no unit to measure by.
  const double largest = median + reach * (median - best);
  return median > best && std::isfinite(largest) ? largest : infinite;
}

std::vector<size_t> BestAndEvenlySpread(const std::vector<double>& costs, size_t most) {
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (costs.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return costs[a] < costs[b]; });
  const size_t best = most / 2;
  std::vector<size_t> others(order.begin() + static_cast<ptrdiff_t>(best), order.end());
  order.resize(best);
  std::sort(others.begin(), others.end());
  for (size_t place : LastOfParts(others.size(), most - best)) order.push_back(others[place]);
  std::sort(order.begin(), order.end());
  return order;
}

TrainingSet CollectTrainingSet(const StudyView& view, const TrainingSetOptions& options) {
  TrainingSet set;
  const std::vector<Result> results = MergeRepeats(view, set.measured);
  const double sign = view.goal == Goal::kMinimize ? 1 : -1;
  std::vector<double> costs;
  for (const Result& result : results) costs.push_back(sign * result.mean);
  const std::vector<double> weights =
      options.weighs_crowded && options.reach > 0 && results.size() <= kMostWeighed
          ? CrowdingWeights(EncodeAll(*view.space, ConfigurationsOf(results)))
          : std::vector<double>();
  const double largest = LargestCost(costs, weights, options.reach);
  const std::vector<size_t> kept = BestAndEvenlySpread(costs, options.most);
  const auto size = static_cast<Index>(kept.size());
  set.different = results.size();
  set.used = kept.size();
  set.data.y.resize(size);
  set.data.repeats.resize(size);
  const auto limit = [sign, largest](double value) {
    return sign * value > largest ? sign * largest : value;
  };
  for (Index i = 0; i < size; ++i) {
    const Result& result = results[kept[static_cast<size_t>(i)]];
    set.configurations.push_back(*result.configuration);
    set.data.y[i] = limit(result.mean);
    set.data.repeats[i] = result.count;
    set.limited += sign * result.mean > largest ? 1 : 0;
  }
  set.data.x = EncodeAll(*view.space, set.configurations);
  set.transform = options.transform != nullptr ? *options.transform
                  : size == 0                  ? OutputTransform::Identity(-sign)
                              : OutputTransform::Fit(options.warp, set.data.y, -sign);
  if (options.transform == nullptr && size == 1) {
    set.transform = set.transform.MovedBy(options.only_result_at);
  }
  set.data.y = set.transform.Apply(set.data.y);
  if (set.measured > set.different) {
    set.data.spreads.resize(size);
    for (Index i = 0; i < size; ++i) {
      const std::vector<double>& repeats = results[kept[static_cast<size_t>(i)]].repeats;
      set.data.spreads[i] = SpreadOf(repeats, set.transform, limit);
    }
  }
  CollectWithoutValue(view, options.most_without_value, set);
  return set;
}

Index ScheduledFitSize(Index size) {
  constexpr double kFirst = 100;
  constexpr double kGrowth = 1.1;
  if (static_cast<double>(size) <= kFirst) return size;
  double term = kFirst;
  while (std::floor(term * kGrowth) <= static_cast<double>(size)) term = std::floor(term * kGrowth);
  return static_cast<Index>(term);
}

}  // namespace slipstream
