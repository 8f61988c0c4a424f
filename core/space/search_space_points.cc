// Encoding configurations as points of the unit cube, and decoding them.
#include <algorithm>
#include <cmath>

#include "core/space/search_space.h"
#include "core/space/search_space_impl.h"

namespace slipstream {
namespace {

// `coordinates[index]` clamped to [0, 1]; 0.5 if it is NaN or absent.
double CoordinateAt(absl::Span<const double> coordinates, size_t index) {
  if (index >= coordinates.size() || std::isnan(coordinates[index])) return 0.5;
  return std::clamp(coordinates[index], 0.0, 1.0);
}

}  // namespace

void SearchSpace::EncodeCoordinates(const Configuration& configuration,
                                    absl::Span<double> coordinates) const {
  for (size_t i = 0; i < dimension(); ++i) {
    const Value& value = configuration.values[i];
    coordinates[i] =
        value.active() ? impl_->axes[i].CoordinateOf(value) : impl_->inactive_coordinates[i];
  }
}

Configuration SearchSpace::Decode(absl::Span<const double> coordinates) const {
  Configuration configuration;
  configuration.values.resize(dimension());
  for (size_t parameter : ParentsFirst()) {
    if (!IsActive(parameter, configuration)) continue;
    configuration.values[parameter] =
        impl_->axes[parameter].ValueAt(CoordinateAt(coordinates, parameter));
  }
  return configuration;
}

Configuration SearchSpace::Sample(absl::Span<const double> uniform) const {
  Configuration configuration;
  configuration.values.resize(dimension());
  for (size_t parameter : ParentsFirst()) {
    if (!IsActive(parameter, configuration)) continue;
    configuration.values[parameter] =
        impl_->axes[parameter].SampleAt(CoordinateAt(uniform, parameter));
  }
  return configuration;
}

}  // namespace slipstream
