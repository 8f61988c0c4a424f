#include "core/optim/enumeration.h"

#include <utility>

#include "core/optim/stepped_domain.h"

namespace slipstream {
namespace {

// Extends `configurations` by every value of `parameter` where it is active;
// false if there would be more than `most`.
bool Multiply(const SearchSpace& space, size_t parameter, size_t most,
              std::vector<Configuration>& configurations) {
  const Domain& domain = space.parameters()[parameter].domain;
  std::vector<Configuration> multiplied;
  for (Configuration& configuration : configurations) {
    if (!space.IsActive(parameter, configuration)) {
      multiplied.push_back(std::move(configuration));
    } else if (!IsStepped(domain)) {
      return false;
    } else {
      const int64_t count = CountOf(domain);
      if (count > static_cast<int64_t>(most - multiplied.size())) return false;
      for (int64_t place = 0; place < count; ++place) {
        multiplied.push_back(configuration);
        multiplied.back().values[parameter] = ValueAt(domain, place);
      }
    }
    if (multiplied.size() > most) return false;
  }
  configurations = std::move(multiplied);
  return true;
}

}  // namespace

std::optional<std::vector<Configuration>> AllConfigurations(const SearchSpace& space,
                                                            size_t most) {
  std::vector<Configuration> configurations(1);
  configurations.front().values.resize(space.dimension());
  for (size_t parameter : space.ParentsFirst()) {
    if (!Multiply(space, parameter, most, configurations)) return std::nullopt;
  }
  return configurations;
}

}  // namespace slipstream
