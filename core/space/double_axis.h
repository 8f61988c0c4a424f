// Maps a real parameter to [0, 1] and back along its scale.
//
// With r(x) = (x - min) / (max - min) on a linear scale,
//      r(x) = ln(x / min) / ln(max / min) on a logarithmic one,
//      r(x) = 1 - ln(m(x) / min) / ln(max / min), m(x) = min + max - x, on its
// mirror image. Holds on every finite range, [-DBL_MAX, DBL_MAX] and subnormal
// ones included.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_DOUBLE_AXIS_H_
#define SLIPSTREAM_CORE_SPACE_DOUBLE_AXIS_H_

#include "core/space/parameter.h"

namespace slipstream {

class DoubleAxis {
 public:
  // `min` < `max`, both finite, and `min` > 0 unless the scale is linear.
  DoubleAxis(double min, double max, Scale scale);

  // In [0, 1]; `value` is within the range.
  double CoordinateOf(double value) const;

  // Within the range, and non-decreasing in `coordinate` (in [0, 1]).
  double ValueAt(double coordinate) const;

 private:
  double LogCoordinateOf(double value) const;
  double LogValueAt(double coordinate) const;
  double LinearValueAt(double coordinate) const;
  double Mirrored(double value) const;

  double min_;
  double max_;
  Scale scale_;
  bool wide_;          // max - min, or max / min on a log scale, overflows.
  double log_length_;  // ln(max / min); 0 on a linear scale.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_DOUBLE_AXIS_H_
