#include "tests/core/zero_shot/naive_design.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/space/space_mapping.h"
#include "tests/core/space/configurations.h"

namespace slipstream {
namespace {

struct Measured {
  Configuration raw;
  double value;
};

struct NaiveSource {
  size_t number;
  Goal goal;
  std::vector<Measured> measured;
  std::vector<Configuration> infeasible;  // Raw.
  SpaceMapping mapping;
};

std::vector<NaiveSource> UsableSources(const StudyView& view) {
  std::vector<NaiveSource> usable;
  for (size_t s = 0; s < view.sources.size(); ++s) {
    const SourceTaskData& data = *view.sources[s];
    auto mapping = SpaceMapping::Create(*data.space, *view.space);
    if (data.goal != view.goal || !mapping.ok()) continue;
    NaiveSource source{s, data.goal, {}, {}, *mapping};
    bool has_place = false;
    for (const SourcePoint& point : data.points) {
      if (point.ending == Ending::kInfeasible) source.infeasible.push_back(point.configuration);
      if (point.ending != Ending::kMeasured) continue;
      source.measured.push_back({point.configuration, *point.value});
      has_place = has_place || mapping->Map(point.configuration).has_value();
    }
    if (has_place) usable.push_back(source);
  }
  return usable;
}

bool IsBetter(const NaiveSource& source, double a, double b) {
  return source.goal == Goal::kMaximize ? a > b : a < b;
}

std::vector<Configuration> NaiveCandidates(const std::vector<NaiveSource>& sources) {
  std::vector<Configuration> candidates;
  for (size_t place = 0; place < 10; ++place) {
    for (const NaiveSource& source : sources) {
      std::vector<Measured> sorted = source.measured;
      std::stable_sort(sorted.begin(), sorted.end(), [&](const Measured& a, const Measured& b) {
        return IsBetter(source, a.value, b.value);
      });
      if (place >= sorted.size()) continue;
      const auto mapped = source.mapping.Map(sorted[place].raw);
      if (!mapped.has_value()) continue;
      if (std::find(candidates.begin(), candidates.end(), *mapped) != candidates.end()) continue;
      candidates.push_back(*mapped);
    }
  }
  return candidates;
}

// Sums numbers before words, as UnitMetric does: with words and few discrete
// values many points are equally far, and rounding must not part them.
double SquaredDistance(const SearchSpace& space, const Configuration& a, const Configuration& b) {
  const std::vector<double> at_a = CoordinatesOf(space, a);
  const std::vector<double> at_b = CoordinatesOf(space, b);
  double sum = 0;
  for (size_t i = 0; i < space.dimension(); ++i) {
    const double difference = at_a[i] - at_b[i];
    if (!space.IsUnordered(i)) sum += difference * difference;
  }
  for (size_t i = 0; i < space.dimension(); ++i) {
    if (space.IsUnordered(i) && at_a[i] != at_b[i]) sum += 1;
  }
  return sum;
}

bool IsKnownInfeasible(const NaiveSource& source, const Configuration& c) {
  const auto is_there = [&](const Configuration& raw) { return source.mapping.Map(raw) == c; };
  return std::any_of(source.infeasible.begin(), source.infeasible.end(), is_there) &&
         std::none_of(source.measured.begin(), source.measured.end(),
                      [&](const Measured& point) { return is_there(point.raw); });
}

// The value that `source` has for `c`, or that its three nearest points suggest.
double ValueFor(const SearchSpace& space, const NaiveSource& source, const Configuration& c) {
  double sum = 0;
  double count = 0;
  std::vector<std::pair<double, double>> by_distance;  // Squared distance, value.
  for (const Measured& point : source.measured) {
    const auto mapped = source.mapping.Map(point.raw);
    if (!mapped.has_value()) continue;
    if (*mapped == c) {
      sum += point.value;
      ++count;
    }
    by_distance.emplace_back(SquaredDistance(space, *mapped, c), point.value);
  }
  if (count > 0) return sum / count;
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  by_distance.resize(std::min<size_t>(3, by_distance.size()));
  // Relative to the nearest: finite however near it is, and exact among equals.
  const double least = by_distance[0].first;
  double weights = 0;
  double offset = 0;
  for (const auto& [distance, measured] : by_distance) {
    const double weight = distance == least ? 1 : least / distance;
    weights += weight;
    offset += weight * (measured - by_distance[0].second);
  }
  return by_distance[0].second + offset / weights;
}

double RankLoss(const NaiveSource& source, double value) {
  double better = 0;
  double equal = 0;
  for (const Measured& point : source.measured) {
    better += IsBetter(source, point.value, value);
    equal += point.value == value;
  }
  const double worst = static_cast<double>(source.measured.size()) - 1;
  if (worst == 0) return 0;
  return std::clamp(better + (equal - 1) / 2, 0.0, worst) / worst;
}

double MeanOf(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

std::vector<double> Minimum(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> least(a.size());
  for (size_t i = 0; i < a.size(); ++i) least[i] = std::min(a[i], b[i]);
  return least;
}

}  // namespace

std::vector<NaiveEntry> NaiveDesign(const StudyView& view) {
  const SearchSpace& space = *view.space;
  const std::vector<NaiveSource> sources = UsableSources(view);
  const std::vector<Configuration> candidates = NaiveCandidates(sources);
  const double alike = 0.1 * 0.1 * static_cast<double>(space.dimension());
  const size_t size = std::min<size_t>(10, 2 + sources.size());

  std::vector<std::vector<double>> losses;  // By candidate.
  for (const Configuration& candidate : candidates) {
    losses.emplace_back();
    for (const NaiveSource& source : sources) {
      losses.back().push_back(IsKnownInfeasible(source, candidate)
                                  ? 1
                                  : RankLoss(source, ValueFor(space, source, candidate)));
    }
  }

  std::vector<NaiveEntry> entries;
  std::vector<bool> is_gone(candidates.size(), false);
  std::vector<double> so_far(sources.size(), 1.0);
  bool is_new_round = true;
  while (entries.size() < size) {
    double best_mean = MeanOf(so_far) - 1e-3;
    std::optional<size_t> best;
    for (size_t c = 0; c < candidates.size(); ++c) {
      const double mean = MeanOf(Minimum(so_far, losses[c]));
      // Sums in another order than the tested code: equals must stay equal.
      if (is_gone[c] || mean >= best_mean - 1e-12) continue;
      best_mean = mean;
      best = c;
    }
    if (best.has_value()) {
      const std::vector<double> next = Minimum(so_far, losses[*best]);
      const double total = (MeanOf(so_far) - MeanOf(next)) * static_cast<double>(sources.size());
      NaiveEntry entry{candidates[*best], std::vector<double>(view.sources.size(), 0.0)};
      for (size_t s = 0; s < sources.size(); ++s) {
        entry.weights[sources[s].number] = (so_far[s] - next[s]) / total;
      }
      entries.push_back(entry);
      so_far = next;
      is_new_round = false;
      continue;
    }
    if (is_new_round) break;
    for (size_t c = 0; c < candidates.size(); ++c) {
      for (const NaiveEntry& entry : entries) {
        if (SquaredDistance(space, candidates[c], entry.configuration) < alike) is_gone[c] = true;
      }
    }
    so_far.assign(sources.size(), 1.0);
    is_new_round = true;
  }
  return entries;
}

}  // namespace slipstream
