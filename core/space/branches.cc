#include "core/space/branches.h"

#include <algorithm>

#include "core/space/quasi_random.h"

namespace slipstream {

bool IsMixed(const SearchSpace& space) {
  for (size_t i = 0; i < space.dimension(); ++i) {
    if (space.IsUnordered(i) || space.ParentOf(i).has_value()) return true;
  }
  return false;
}

std::vector<size_t> BranchingParameters(const SearchSpace& space) {
  std::vector<size_t> parents;
  for (size_t i = 0; i < space.dimension(); ++i) {
    if (space.ParentOf(i).has_value()) parents.push_back(*space.ParentOf(i));
  }
  std::sort(parents.begin(), parents.end());
  parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  return parents;
}

double MeanActive(const SearchSpace& space) {
  constexpr size_t kPoints = 256;
  size_t active = 0;
  for (const std::vector<double>& point : QuasiRandomPoints(space.dimension(), 0, 0, kPoints)) {
    for (const Value& value : space.Sample(point).values) active += value.active() ? 1 : 0;
  }
  return static_cast<double>(active) / static_cast<double>(kPoints);
}

}  // namespace slipstream
