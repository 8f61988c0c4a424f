#include "tests/benchmarks/latencies.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace slipstream {

void Latencies::Merge(const Latencies& other) {
  microseconds.insert(microseconds.end(), other.microseconds.begin(), other.microseconds.end());
  seconds += other.seconds;
  server_cpu_seconds += other.server_cpu_seconds;
  failures += other.failures;
}

double Latencies::Quantile(double fraction) const {
  if (microseconds.empty()) return 0;
  std::vector<double> sorted = microseconds;
  const auto at = static_cast<size_t>(fraction * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return sorted[at];
}

double Latencies::ServerMicroseconds() const {
  if (microseconds.empty()) return 0;
  return 1e6 * server_cpu_seconds / static_cast<double>(microseconds.size());
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<Interval> IntervalOfMedian(std::vector<double> values) {
  constexpr double kEachTail = 0.025;
  // How many of the values are below the median.
  const boost::math::binomial below(static_cast<double>(values.size()), 0.5);
  size_t first = 0;
  while (first < values.size() && boost::math::cdf(below, first) <= kEachTail) ++first;
  if (first == 0) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Interval{values[first - 1], values[values.size() - first]};
}

}  // namespace slipstream
