// What tests ask of configurations.
#ifndef SLIPSTREAM_TESTS_CORE_SPACE_CONFIGURATIONS_H_
#define SLIPSTREAM_TESTS_CORE_SPACE_CONFIGURATIONS_H_

#include <cstddef>
#include <vector>

#include "core/space/domain_value.h"
#include "core/space/search_space.h"

namespace slipstream {

// Whether every value is in its domain and exactly the active parameters have one.
inline bool IsLegal(const SearchSpace& space, const Configuration& configuration) {
  if (configuration.values.size() != space.dimension()) return false;
  for (const size_t parameter : space.ParentsFirst()) {
    const Value& value = configuration.values[parameter];
    if (value.active() != space.IsActive(parameter, configuration)) return false;
    if (value.active() && !IsInDomain(space.parameters()[parameter].domain, value)) return false;
  }
  return true;
}

inline std::vector<double> CoordinatesOf(const SearchSpace& space,
                                         const Configuration& configuration) {
  std::vector<double> coordinates(space.dimension());
  space.EncodeCoordinates(configuration, absl::MakeSpan(coordinates));
  return coordinates;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_SPACE_CONFIGURATIONS_H_
