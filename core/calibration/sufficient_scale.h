// The smallest scale that makes a quantity large enough.
#ifndef SLIPSTREAM_CORE_CALIBRATION_SUFFICIENT_SCALE_H_
#define SLIPSTREAM_CORE_CALIBRATION_SUFFICIENT_SCALE_H_

#include <functional>

#include "absl/status/statusor.h"

namespace slipstream {

// The scale to take if none is sufficient.
enum class Insufficient { kLargestValue, kLargestScale };

// least, least * step, ..., and most as the last one.
struct ScaleGrid {
  double least = 1;  // Positive, at most `most`.
  double most = 1;
  double step = 2;  // Above 1.
  Insufficient insufficient = Insufficient::kLargestValue;
  // All scales up to this one have the value of `least`, and are not tried after it.
  double same_until = 0;
};

struct SufficientScale {
  double scale = 1;
  double value = 0;  // There.
};

// The first scale of the grid whose value is at least `enough`; where none is, what
// the grid says. The value need not grow with the scale, so the
// grid is walked from its beginning. Errors at the first scale are passed on; a
// deadline that passes later ends the walk with the largest value so far, other
// errors are passed on there too.
absl::StatusOr<SufficientScale> SmallestSufficientScale(
    const ScaleGrid& grid, double enough,
    const std::function<absl::StatusOr<double>(double scale)>& value);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_SUFFICIENT_SCALE_H_
