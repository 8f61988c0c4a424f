#include "core/space/double_axis.h"

#include <algorithm>
#include <cmath>

namespace slipstream {

DoubleAxis::DoubleAxis(double min, double max, Scale scale) : min_(min), max_(max), scale_(scale) {
  const double excess = scale == Scale::kLinear ? max - min : (max - min) / min;
  wide_ = !std::isfinite(excess);
  log_length_ = 0;
  if (scale != Scale::kLinear) {
    log_length_ = wide_ ? std::log(max) - std::log(min) : std::log1p(excess);
  }
}

double DoubleAxis::Mirrored(double value) const {
  return std::clamp((max_ - value) + min_, min_, max_);
}

double DoubleAxis::LogCoordinateOf(double value) const {
  const double length =
      wide_ ? std::log(value) - std::log(min_) : std::log1p((value - min_) / min_);
  return length / log_length_;
}

double DoubleAxis::CoordinateOf(double value) const {
  double coordinate = 0;
  if (scale_ == Scale::kLog) {
    coordinate = LogCoordinateOf(value);
  } else if (scale_ == Scale::kReverseLog) {
    coordinate = 1 - LogCoordinateOf(Mirrored(value));
  } else if (wide_) {
    coordinate = (value / 2 - min_ / 2) / (max_ / 2 - min_ / 2);
  } else {
    coordinate = (value - min_) / (max_ - min_);
  }
  return std::clamp(coordinate, 0.0, 1.0);
}

double DoubleAxis::LogValueAt(double coordinate) const {
  const double value = wide_ ? std::exp(std::log(min_) + coordinate * log_length_)
                             : min_ * std::exp(coordinate * log_length_);
  return std::clamp(value, min_, max_);
}

double DoubleAxis::LinearValueAt(double coordinate) const {
  const double value = wide_ ? 2 * (min_ / 2 + coordinate * (max_ / 2 - min_ / 2))
                             : min_ + coordinate * (max_ - min_);
  return std::clamp(value, min_, max_);
}

double DoubleAxis::ValueAt(double coordinate) const {
  if (coordinate <= 0) return min_;
  if (coordinate >= 1) return max_;
  if (scale_ == Scale::kLog) return LogValueAt(coordinate);
  if (scale_ == Scale::kReverseLog) return Mirrored(LogValueAt(1 - coordinate));
  return LinearValueAt(coordinate);
}

}  // namespace slipstream
