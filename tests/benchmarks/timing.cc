#include "tests/benchmarks/timing.h"

#include <vector>

#include "tests/benchmarks/latencies.h"

namespace slipstream {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double SecondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  int count = 0;
  double seconds = 0;
  do {
    work();
    ++count;
    seconds = SecondsSince(begin);
  } while (seconds < 0.005);
  return seconds / count;
}

Compared Compare(int rounds, const std::function<void()>& floor,
                 const std::function<void()>& ours) {
  std::vector<double> floors, own, ratios;
  for (int i = 0; i < rounds; ++i) {
    floors.push_back(SecondsOf(floor));
    own.push_back(SecondsOf(ours));
    ratios.push_back(own.back() / floors.back());
  }
  return {Median(floors), Median(own), Median(ratios)};
}

}  // namespace slipstream
