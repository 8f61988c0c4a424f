#include "core/gp/largest_places.h"

#include <algorithm>
#include <functional>

namespace slipstream {

std::vector<Index> LargestPlaces(const Vector& values, Index count) {
  count = std::min(count, values.size());
  std::vector<Index> places;
  if (count == 0) return places;
  std::vector<double> sorted(values.data(), values.data() + values.size());
  const auto last = sorted.begin() + count - 1;
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<double>());
  const double least = *last;
  const auto larger = std::count_if(sorted.begin(), last, [&](double v) { return v > least; });
  Index equal = count - static_cast<Index>(larger);  // How many of the least are taken.
  places.reserve(static_cast<size_t>(count));
  for (Index i = 0; i < values.size(); ++i) {
    if (values[i] > least || (values[i] == least && equal-- > 0)) places.push_back(i);
  }
  return places;
}

}  // namespace slipstream
