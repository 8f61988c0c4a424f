// Maps an integer parameter to [0, 1] and back along its scale.
//
// The number k owns the cell [k - 1/2, k + 1/2] and lies at the cell's middle
// before scaling. The cells of all numbers cover [0, 1]: evenly on a linear
// scale, by ln(x / (min - 1/2)) on a logarithmic one, and mirrored on a reversed
// one.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_INTEGER_AXIS_H_
#define SLIPSTREAM_CORE_SPACE_INTEGER_AXIS_H_

#include <cstdint>

#include "core/space/parameter.h"

namespace slipstream {

class IntegerAxis {
 public:
  // `min` <= `max`, at most 2^53 apart, and `min` > 0 unless the scale is
  // linear.
  IntegerAxis(int64_t min, int64_t max, Scale scale);

  // In [0, 1]; `value` is within the range.
  double CoordinateOf(int64_t value) const;

  // Within the range, and non-decreasing in `coordinate` (in [0, 1]).
  int64_t ValueAt(double coordinate) const;

 private:
  // Offsets count from the range's lower end, 0 to span_.
  double LogCoordinateOf(uint64_t offset) const;
  uint64_t LogOffsetAt(double coordinate) const;
  uint64_t OffsetAt(double coordinate) const;
  // The offset whose cell contains `position` (0 to span_ + 1).
  uint64_t CellAt(double position) const;

  int64_t min_;
  uint64_t span_;
  Scale scale_;
  double edge_;        // min - 1/2.
  double log_length_;  // ln((max + 1/2) / (min - 1/2)); 0 on a linear scale.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_INTEGER_AXIS_H_
