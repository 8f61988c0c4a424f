#include "core/space/even_configurations.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/counter_random.h"
#include "core/space/branches.h"
#include "core/space/quasi_random.h"

namespace slipstream {
namespace {

// As many as a study without sources begins with in such a space.
constexpr size_t kBlock = 8;

// Separates the offsets from other uses of a study's seed.
constexpr uint64_t kOffsetStream = 0x6576656E;

using Points = std::vector<std::vector<double>>;

std::vector<Configuration> AllAt(const SearchSpace& space, const Points& points) {
  std::vector<Configuration> configurations;
  for (const std::vector<double>& point : points) configurations.push_back(space.Sample(point));
  return configurations;
}

// Gives the coordinates of `parameter` that count the distances 1 / m, in the order that they have.
void Spread(const SearchSpace& space, size_t parameter, double offset,
            const std::vector<Configuration>& configurations, Points& points) {
  std::vector<size_t> active;
  for (size_t i = 0; i < points.size(); ++i) {
    if (space.IsActive(parameter, configurations[i])) active.push_back(i);
  }
  std::sort(active.begin(), active.end(),
            [&](size_t a, size_t b) { return points[a][parameter] < points[b][parameter]; });
  for (size_t rank = 0; rank < active.size(); ++rank) {
    points[active[rank]][parameter] =
        (static_cast<double>(rank) + offset) / static_cast<double>(active.size());
  }
}

// The configurations of all points of a block.
std::vector<Configuration> BlockOf(const SearchSpace& space, uint64_t seed, uint64_t block) {
  Points points = QuasiRandomPoints(space.dimension(), seed, block * kBlock, kBlock);
  std::vector<Configuration> configurations = AllAt(space, points);
  const std::vector<size_t> branching = BranchingParameters(space);
  for (size_t parameter : space.ParentsFirst()) {
    const bool branches = std::binary_search(branching.begin(), branching.end(), parameter);
    if (!branches && !space.IsUnordered(parameter)) continue;
    const double offset = CounterRandomUniform(seed ^ kOffsetStream, block, parameter);
    Spread(space, parameter, offset, configurations, points);
    if (branches) configurations = AllAt(space, points);
  }
  return AllAt(space, points);
}

}  // namespace

std::vector<Configuration> EvenConfigurations(const SearchSpace& space, uint64_t seed,
                                              uint64_t first, size_t count) {
  if (!IsMixed(space)) {
    return AllAt(space, QuasiRandomPoints(space.dimension(), seed, first, count));
  }
  std::vector<Configuration> configurations;
  std::vector<Configuration> block;
  for (uint64_t index = first; index < first + count; ++index) {
    if (block.empty() || index % kBlock == 0) block = BlockOf(space, seed, index / kBlock);
    configurations.push_back(block[index % kBlock]);
  }
  return configurations;
}

Configuration EvenConfiguration(const SearchSpace& space, uint64_t seed, uint64_t index) {
  return EvenConfigurations(space, seed, index, 1).front();
}

}  // namespace slipstream
