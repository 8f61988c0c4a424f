// What a function's values are like where nobody has written it down.
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

// The lowest value found from the best of many evenly spread points, each
// followed downhill coordinate by coordinate until steps are 1e-9 of a side. For
// smooth functions of up to six dimensions that are not too crooked.
double MinimumOf(const std::function<double(absl::Span<const double>)>& function,
                 const std::vector<Bounds>& box);

// The mean over the same evenly spread points.
double MeanOf(const std::function<double(absl::Span<const double>)>& function,
              const std::vector<Bounds>& box);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MINIMUM_H_
