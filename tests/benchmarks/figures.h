// Measured figures and the bars that they must reach.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_FIGURES_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_FIGURES_H_

#include <optional>
#include <string>
#include <vector>

#include "tests/benchmarks/latencies.h"

namespace slipstream {

// One figure. One of the bounds applies, the other is NaN.
struct Figure {
  std::string name;
  double value = 0;
  double at_least = 0;
  double at_most = 0;
  std::optional<Interval> interval;  // Of the value, where it is known.

  bool Reached() const;
};

Figure AtLeast(std::string name, double value, double bar);
Figure AtMost(std::string name, double value, double bar);

// Prints a line for each figure and returns how many bars were missed.
int PrintFigures(const std::vector<Figure>& figures);

// Writes lines, of which the first is the header. Prints whether that succeeded.
void WriteCsv(const std::string& path, const std::vector<std::string>& lines);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_FIGURES_H_
