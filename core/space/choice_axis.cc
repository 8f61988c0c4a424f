#include "core/space/choice_axis.h"

#include <algorithm>
#include <cmath>

#include "core/space/double_axis.h"

namespace slipstream {
namespace {

// Moves apart coordinates that rounding made equal: upwards, and back down where
// that left [0, 1].
void Separate(std::vector<double>& coordinates) {
  for (size_t i = 1; i < coordinates.size(); ++i) {
    coordinates[i] = std::max(coordinates[i], std::nextafter(coordinates[i - 1], 2.0));
  }
  coordinates.back() = std::min(coordinates.back(), 1.0);
  for (size_t i = coordinates.size() - 1; i > 0; --i) {
    coordinates[i - 1] = std::min(coordinates[i - 1], std::nextafter(coordinates[i], -1.0));
  }
}

std::vector<double> CoordinatesOf(const DiscreteDomain& domain) {
  if (domain.values.size() == 1) return {0.5};
  const DoubleAxis axis(domain.values.front(), domain.values.back(), domain.scale);
  std::vector<double> coordinates;
  coordinates.reserve(domain.values.size());
  for (double value : domain.values) coordinates.push_back(axis.CoordinateOf(value));
  Separate(coordinates);
  return coordinates;
}

}  // namespace

double ChoiceAxis::CoordinateOf(size_t choice) const {
  return (static_cast<double>(choice) + 0.5) / static_cast<double>(count_);
}

size_t ChoiceAxis::ChoiceAt(double coordinate) const {
  const double cell = std::floor(coordinate * static_cast<double>(count_));
  return static_cast<size_t>(std::clamp(cell, 0.0, static_cast<double>(count_ - 1)));
}

DiscreteAxis::DiscreteAxis(const DiscreteDomain& domain)
    : values_(domain.values), coordinates_(CoordinatesOf(domain)) {}

double DiscreteAxis::CoordinateOf(double value) const {
  const auto position = std::lower_bound(values_.begin(), values_.end(), value);
  return coordinates_[static_cast<size_t>(position - values_.begin())];
}

double DiscreteAxis::ValueAt(double coordinate) const {
  const auto above = std::lower_bound(coordinates_.begin(), coordinates_.end(), coordinate);
  if (above == coordinates_.begin()) return values_.front();
  if (above == coordinates_.end()) return values_.back();
  const size_t index = static_cast<size_t>(above - coordinates_.begin());
  const bool nearer_above = *above - coordinate < coordinate - coordinates_[index - 1];
  return values_[nearer_above ? index : index - 1];
}

double DiscreteAxis::SampleAt(double coordinate) const {
  return values_[ChoiceAxis(values_.size()).ChoiceAt(coordinate)];
}

}  // namespace slipstream
