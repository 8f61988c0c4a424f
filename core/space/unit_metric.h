// Distance between encoded configurations: Euclid's over the coordinates, where
// different categories (and true and false) are 1 apart.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_UNIT_METRIC_H_
#define SLIPSTREAM_CORE_SPACE_UNIT_METRIC_H_

#include <cstddef>
#include <vector>

#include "core/space/search_space.h"

namespace slipstream {

class UnitMetric {
 public:
  // Keeps no reference to `space`.
  explicit UnitMetric(const SearchSpace& space);

  size_t dimension() const { return dimension_; }

  // Both have one coordinate for each parameter. At most dimension().
  double SquaredDistance(const double* a, const double* b) const;

 private:
  size_t dimension_;
  std::vector<size_t> ordered_;    // Coordinates that are numbers.
  std::vector<size_t> unordered_;  // Coordinates that stand for categories.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_UNIT_METRIC_H_
