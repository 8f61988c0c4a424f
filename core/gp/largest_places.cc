#include "core/gp/largest_places.h"

#include <algorithm>
#include <functional>

namespace slipstream {
namespace {

// A part of the values, one in so many, tells which of the others are too small to be ordered.
constexpr Index kPart = 8;

// The `count`-th largest, or the last if there are fewer.
double NthLargest(std::vector<double>& values, Index count) {
  const auto last = values.begin() + std::min(count, static_cast<Index>(values.size())) - 1;
  std::nth_element(values.begin(), last, values.end(), std::greater<double>());
  return *last;
}

}  // namespace

std::vector<Index> LargestPlaces(const Vector& values, Index count) {
  count = std::min(count, values.size());
  std::vector<Index> places;
  if (count == 0) return places;
  // Of the first values alone the least one that is taken is no larger than that of all.
  const Index some = std::max(count, values.size() / kPart);
  std::vector<double> large(values.begin(), values.begin() + some);
  const double bound = NthLargest(large, count);
  large.clear();
  for (const double value : values) {
    if (!(value < bound)) large.push_back(value);
  }
  const double least = NthLargest(large, count);
  const auto larger =
      std::count_if(large.begin(), large.end(), [&](double value) { return value > least; });
  Index equal = count - static_cast<Index>(larger);  // How many of the least are taken.
  places.reserve(static_cast<size_t>(count));
  for (Index i = 0; i < values.size(); ++i) {
    if (values[i] > least || (values[i] == least && equal-- > 0)) places.push_back(i);
  }
  return places;
}

}  // namespace slipstream
