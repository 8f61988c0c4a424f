#include "core/space/integer_axis.h"

#include <algorithm>
#include <cmath>

namespace slipstream {

IntegerAxis::IntegerAxis(int64_t min, int64_t max, Scale scale)
    : min_(min),
      span_(static_cast<uint64_t>(max) - static_cast<uint64_t>(min)),
      scale_(scale),
      edge_(static_cast<double>(min) - 0.5),
      log_length_(0) {
  if (scale != Scale::kLinear) log_length_ = std::log1p((static_cast<double>(span_) + 1) / edge_);
}

double IntegerAxis::LogCoordinateOf(uint64_t offset) const {
  return std::log1p((static_cast<double>(offset) + 0.5) / edge_) / log_length_;
}

double IntegerAxis::CoordinateOf(int64_t value) const {
  if (span_ == 0) return 0.5;
  const uint64_t offset = static_cast<uint64_t>(value) - static_cast<uint64_t>(min_);
  double coordinate = 0;
  if (scale_ == Scale::kLog) {
    coordinate = LogCoordinateOf(offset);
  } else if (scale_ == Scale::kReverseLog) {
    coordinate = 1 - LogCoordinateOf(span_ - offset);
  } else {
    coordinate = (static_cast<double>(offset) + 0.5) / (static_cast<double>(span_) + 1);
  }
  return std::clamp(coordinate, 0.0, 1.0);
}

uint64_t IntegerAxis::CellAt(double position) const {
  const double cell = std::clamp(std::floor(position), 0.0, static_cast<double>(span_));
  return static_cast<uint64_t>(cell);
}

uint64_t IntegerAxis::LogOffsetAt(double coordinate) const {
  return CellAt(edge_ * std::expm1(coordinate * log_length_));
}

uint64_t IntegerAxis::OffsetAt(double coordinate) const {
  if (coordinate <= 0) return 0;
  if (coordinate >= 1) return span_;
  if (scale_ == Scale::kLog) return LogOffsetAt(coordinate);
  if (scale_ == Scale::kReverseLog) return span_ - LogOffsetAt(1 - coordinate);
  return CellAt(coordinate * (static_cast<double>(span_) + 1));
}

int64_t IntegerAxis::ValueAt(double coordinate) const {
  return static_cast<int64_t>(static_cast<uint64_t>(min_) + OffsetAt(coordinate));
}

}  // namespace slipstream
