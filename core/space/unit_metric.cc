#include "core/space/unit_metric.h"

namespace slipstream {

UnitMetric::UnitMetric(const SearchSpace& space) : dimension_(space.dimension()) {
  for (size_t i = 0; i < dimension_; ++i) {
    (space.IsUnordered(i) ? unordered_ : ordered_).push_back(i);
  }
}

double UnitMetric::SquaredDistance(const double* a, const double* b) const {
  double sum = 0;
  for (size_t i : ordered_) {
    const double difference = a[i] - b[i];
    sum += difference * difference;
  }
  for (size_t i : unordered_) sum += a[i] == b[i] ? 0 : 1;
  return sum;
}

}  // namespace slipstream
