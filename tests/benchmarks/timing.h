// Measures how long work takes in comparison with a floor.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_TIMING_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_TIMING_H_

#include <chrono>
#include <functional>

namespace slipstream {

double SecondsSince(std::chrono::steady_clock::time_point start);

// Mean seconds of `work` over as many runs as fit into a few milliseconds, at least
// one.
double SecondsOf(const std::function<void()>& work);

// Alternates between both, so that the machine's other load affects both.
struct Compared {
  double floor = 0;  // Median seconds over the rounds.
  double ours = 0;
  double ratio = 0;  // The median of the rounds' ratios.
};
Compared Compare(int rounds, const std::function<void()>& floor, const std::function<void()>& ours);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_TIMING_H_
