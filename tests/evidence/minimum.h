// Estimates a function's minimum and mean if they are not published.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MINIMUM_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MINIMUM_H_

#include <functional>
#include <vector>

#include "absl/types/span.h"

namespace slipstream::evidence {

// One side of a box.
struct Bounds {
  double min = 0;
  double max = 1;
};

// The lowest value found by coordinate descent from the best of many evenly spread
// points, until steps are 1e-9 of a side. For well-behaved smooth functions of up to
// six dimensions.
double MinimumOf(const std::function<double(absl::Span<const double>)>& function,
                 const std::vector<Bounds>& box);

// The lowest value at the evenly spread points alone, for other functions.
double LowestOfSpread(const std::function<double(absl::Span<const double>)>& function,
                      const std::vector<Bounds>& box);

// The mean over the same points.
double MeanOf(const std::function<double(absl::Span<const double>)>& function,
              const std::vector<Bounds>& box);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MINIMUM_H_
