// Latencies of many calls and their statistics.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_LATENCIES_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_LATENCIES_H_

#include <optional>
#include <vector>

namespace slipstream {

struct Latencies {
  std::vector<double> microseconds;  // One for each call that succeeded.
  double seconds = 0;                // From the first start to the last end.
  double server_cpu_seconds = 0;     // The server process's CPU time meanwhile.
  long failures = 0;

  void Merge(const Latencies& other);
  double Rate() const { return static_cast<double>(microseconds.size()) / seconds; }
  // The `fraction`-quantile in microseconds; 0 without calls.
  double Quantile(double fraction) const;
  // The server's CPU time per call; 0 without calls.
  double ServerMicroseconds() const;
};

// The middle value, or the mean of the two in the middle; 0 for no values.
double Median(std::vector<double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

// The two of the values between which the median of what they were drawn from lies in 95% of
// samples, whatever its distribution; nothing for fewer than six values, of which no two are
// that far apart.
std::optional<Interval> IntervalOfMedian(std::vector<double> values);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_LATENCIES_H_
