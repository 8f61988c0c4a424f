// How long work takes, in comparison.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_TIMING_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_TIMING_H_

#include <functional>

namespace slipstream {

// Seconds that `work` takes, of as many runs as fit into a few milliseconds, at
// least one.
double SecondsOf(const std::function<void()>& work);

// Both in turn, so that what else the machine does falls on both.
struct Compared {
  double floor = 0;  // Seconds, medians over the rounds.
  double ours = 0;
  double ratio = 0;  // The median of the rounds' ratios.
};
Compared Compare(int rounds, const std::function<void()>& floor, const std::function<void()>& ours);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_TIMING_H_
