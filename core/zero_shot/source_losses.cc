#include "core/zero_shot/source_losses.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/even_parts.h"

namespace slipstream {
namespace {

constexpr size_t kNeighbours = 3;

// A running mean that cannot overflow, and of equals is exactly what they are.
struct Mean {
  double value = 0;
  double count = 0;

  void Add(double added) {
    count += 1;
    value += added / count - value / count;
  }
};

// The outcome of a pass over all points that are measured or infeasible.
struct Census {
  std::vector<Mean> measured;       // By candidate.
  std::vector<bool> is_infeasible;  // By candidate; it may also be measured.
  std::vector<size_t> mappable;     // Measured points with a place in the target's space.
};

Census TakeCensus(const SourceTaskData& source, const SourceRanking& ranking,
                  const SpaceMapping& mapping, const TargetCandidates& candidates) {
  Census census;
  census.measured.resize(candidates.configurations.size());
  census.is_infeasible.resize(candidates.configurations.size());
  Configuration mapped;
  for (size_t point : ranking.measured()) {
    if (!mapping.Map(source.points[point].configuration, mapped)) continue;
    census.mappable.push_back(point);
    const auto candidate = candidates.index.find(&mapped);
    if (candidate == candidates.index.end()) continue;
    census.measured[static_cast<size_t>(candidate->second)].Add(*source.points[point].value);
  }
  for (size_t point : ranking.infeasible()) {
    if (!mapping.Map(source.points[point].configuration, mapped)) continue;
    const auto candidate = candidates.index.find(&mapped);
    if (candidate == candidates.index.end()) continue;
    census.is_infeasible[static_cast<size_t>(candidate->second)] = true;
  }
  return census;
}

// Measured points in the target's unit cube.
struct Neighbourhood {
  std::vector<double> coordinates;  // Row by row.
  std::vector<double> values;
};

Neighbourhood EvenlySpread(const SourceTaskData& source, const std::vector<size_t>& points,
                           const SpaceMapping& mapping, const SearchSpace& target, size_t count) {
  count = std::min(count, points.size());
  Neighbourhood spread;
  spread.coordinates.resize(count * target.dimension());
  for (size_t i = 0; i < count; ++i) {
    const SourcePoint& point = source.points[points[PartBegin(i, points.size(), count)]];
    target.EncodeCoordinates(
        *mapping.Map(point.configuration),
        absl::MakeSpan(&spread.coordinates[i * target.dimension()], target.dimension()));
    spread.values.push_back(*point.value);
  }
  return spread;
}

struct Neighbour {
  double squared_distance = std::numeric_limits<double>::infinity();
  double value = 0;
};

// Nearest first; at infinity where there are too few.
using Neighbours = std::array<Neighbour, kNeighbours>;

Neighbours NearestTo(const double* coordinates, const Neighbourhood& measured,
                     const UnitMetric& metric) {
  Neighbours nearest;
  for (size_t i = 0; i < measured.values.size(); ++i) {
    const double distance =
        metric.SquaredDistance(coordinates, &measured.coordinates[i * metric.dimension()]);
    if (!(distance < nearest.back().squared_distance)) continue;
    nearest.back() = {distance, measured.values[i]};
    for (size_t place = kNeighbours - 1; place > 0; --place) {
      if (!(nearest[place].squared_distance < nearest[place - 1].squared_distance)) break;
      std::swap(nearest[place], nearest[place - 1]);
    }
  }
  return nearest;
}

// Weights are taken relative to the nearest one's, so that they stay finite;
// points at distance 0 outweigh all others. Values are taken relative to the
// nearest one's too, halved against overflow: among equals the result must be
// exactly equal, since ranks tell equals apart from all others.
double WeightedValue(const Neighbours& nearest) {
  const double least = nearest[0].squared_distance;
  std::array<double, kNeighbours> weights;
  double total = 0;
  for (size_t i = 0; i < kNeighbours; ++i) {
    const double distance = nearest[i].squared_distance;
    weights[i] = distance == least ? 1 : least / distance;
    total += weights[i];
  }
  double half_offset = 0;
  double lowest = nearest[0].value;
  double highest = nearest[0].value;
  for (size_t i = 0; i < kNeighbours; ++i) {
    if (weights[i] == 0) continue;
    half_offset += weights[i] / total * (nearest[i].value / 2 - nearest[0].value / 2);
    lowest = std::min(lowest, nearest[i].value);
    highest = std::max(highest, nearest[i].value);
  }
  return std::clamp(nearest[0].value + 2 * half_offset, lowest, highest);
}

}  // namespace

std::optional<std::vector<double>> SourceLosses(const SourceTaskData& source,
                                                const SourceRanking& ranking,
                                                const SpaceMapping& mapping,
                                                const SearchSpace& target, const UnitMetric& metric,
                                                const TargetCandidates& candidates,
                                                size_t estimation_points) {
  const Census census = TakeCensus(source, ranking, mapping, candidates);
  if (census.mappable.empty()) return std::nullopt;
  const Neighbourhood spread =
      EvenlySpread(source, census.mappable, mapping, target, estimation_points);
  std::vector<double> losses(candidates.configurations.size());
  for (size_t c = 0; c < losses.size(); ++c) {
    const Mean& mean = census.measured[c];
    if (mean.count == 0 && census.is_infeasible[c]) {
      losses[c] = 1;
      continue;
    }
    const double* coordinates = &candidates.coordinates[c * metric.dimension()];
    losses[c] = ranking.LossOf(
        mean.count > 0 ? mean.value : WeightedValue(NearestTo(coordinates, spread, metric)));
  }
  return losses;
}

}  // namespace slipstream
