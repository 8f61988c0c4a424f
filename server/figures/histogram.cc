#include "server/figures/histogram.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace slipstream {

int64_t HistogramFigures::count() const {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)),
      counts_(std::make_unique<std::atomic<int64_t>[]>(bounds_.size() + 1)) {}

void Histogram::Observe(double value) {
  const auto place = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<size_t>(place)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

HistogramFigures Histogram::Figures() const {
  HistogramFigures figures;
  figures.bounds = bounds_;
  for (size_t i = 0; i <= bounds_.size(); ++i) {
    figures.counts.push_back(counts_[i].load(std::memory_order_relaxed));
  }
  figures.sum = sum_.load(std::memory_order_relaxed);
  return figures;
}

std::vector<double> DurationBounds() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
          0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30};
}

}  // namespace slipstream
