#include "core/optim/neighbours.h"

#include <iterator>

#include "core/base/counter_random.h"
#include "core/gp/normal.h"
#include "core/optim/stepped_domain.h"

namespace slipstream {
Neighbours::Neighbours(const SearchSpace& space, size_t most_values)
    : space_(space), most_values_(most_values) {
  for (size_t i = 0; i < space.dimension(); ++i) {
    if (IsStepped(space.parameters()[i].domain)) stepped_.push_back(i);
  }
}

std::vector<Index> Neighbours::Numbers(const Configuration& configuration) const {
  std::vector<Index> numbers;
  for (size_t i = 0; i < space_.dimension(); ++i) {
    if (configuration.values[i].active() && !space_.IsUnordered(i)) {
      numbers.push_back(static_cast<Index>(i));
    }
  }
  return numbers;
}

std::vector<Configuration> Neighbours::Change(const Configuration& configuration,
                                              size_t parameter, uint64_t seed) const {
  const Value& value = configuration.values[parameter];
  if (!value.active()) return {};
  std::vector<Configuration> changed;
  for (const Value& other : OtherValues(value, parameter, seed)) {
    changed.push_back(With(configuration, parameter, other));
  }
  return changed;
}

std::vector<Value> Neighbours::OtherValues(const Value& value, size_t parameter,
                                           uint64_t seed) const {
  const Domain& domain = space_.parameters()[parameter].domain;
  const int64_t count = CountOf(domain);
  const int64_t own = PlaceOf(domain, value);
  std::vector<int64_t> places;
  if (count <= static_cast<int64_t>(most_values_)) {
    for (int64_t place = 0; place < count; ++place) places.push_back(place);
  } else if (space_.IsUnordered(parameter)) {
    for (size_t i = 0; i < most_values_; ++i) {
      const double uniform = CounterRandomUniform(seed, i, parameter);
      places.push_back(static_cast<int64_t>(uniform * static_cast<double>(count)));
    }
  } else {
    for (int64_t step = 1; step < count && places.size() + 2 <= most_values_; step *= 2) {
      places.push_back(own - step);
      places.push_back(own + step);
    }
  }
  std::vector<Value> values;
  for (int64_t place : places) {
    if (place != own && place >= 0 && place < count) values.push_back(ValueAt(domain, place));
  }
  return values;
}

Configuration Neighbours::With(Configuration configuration, size_t parameter,
                               const Value& value) const {
  configuration.values[parameter] = value;
  for (size_t i : space_.ParentsFirst()) {
    if (!space_.IsActive(i, configuration)) {
      configuration.values[i] = Value();
    } else if (!configuration.values[i].active()) {
      configuration.values[i] = space_.FallbackOf(i);
    }
  }
  return configuration;
}

Configuration PerturbedBy(const SearchSpace& space, const Configuration& centre, uint64_t seed,
                          uint64_t index) {
  constexpr double kDeviations[] = {0.1, 0.02, 0.004, 0.0005};
  constexpr double kMoved = 4;  // Expected number of moved coordinates out of many.
  const double deviation = kDeviations[index % std::size(kDeviations)];
  const auto dimension = static_cast<double>(space.dimension());
  const auto always =
      static_cast<size_t>(CounterRandomUniform(seed, index, 0) * dimension) % space.dimension();
  std::vector<double> coordinates(space.dimension());
  space.EncodeCoordinates(centre, absl::MakeSpan(coordinates));
  for (size_t i = 0; i < space.dimension(); ++i) {
    const uint64_t lane = 3 * i;
    if (i != always && CounterRandomUniform(seed, index, lane + 1) * dimension >= kMoved) continue;
    if (space.IsUnordered(i)) {
      coordinates[i] = CounterRandomUniform(seed, index, lane + 2);
    } else {
      coordinates[i] += deviation * CounterRandomNormal(seed, index, lane + 2);
    }
  }
  return space.Decode(coordinates);
}

}  // namespace slipstream
