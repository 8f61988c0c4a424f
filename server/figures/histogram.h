// Counts values by size: how long calls take, how many writes share a commit.
//
//   Histogram seconds({0.001, 0.01, 0.1, 1});
//   seconds.Observe(0.02);
//   const HistogramFigures figures = seconds.Figures();
//
// Thread-safe and without locks; figures that are read while values come may miss the latest.
#ifndef SLIPSTREAM_SERVER_FIGURES_HISTOGRAM_H_
#define SLIPSTREAM_SERVER_FIGURES_HISTOGRAM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace slipstream {

struct HistogramFigures {
  std::vector<double> bounds;   // Ascending.
  std::vector<int64_t> counts;  // counts[i]: values at most bounds[i] and above the bound before;
                                // one more count than bounds, of values above all of them.
  double sum = 0;

  int64_t count() const;
};

class Histogram {
 public:
  // `bounds` ascend.
  explicit Histogram(std::vector<double> bounds);

  void Observe(double value);
  HistogramFigures Figures() const;

 private:
  const std::vector<double> bounds_;
  const std::unique_ptr<std::atomic<int64_t>[]> counts_;
  std::atomic<double> sum_{0};
};

// From 100 µs to 30 s, three bounds for each power of ten: for durations.
std::vector<double> DurationBounds();

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_FIGURES_HISTOGRAM_H_
