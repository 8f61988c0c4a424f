#include "tests/evidence/mixed_setting.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "core/base/counter_random.h"
#include "tests/core/space/configurations.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kTaskSalt = 0x6d69786564;  // Separates these draws from strategies'.
constexpr double kInside = 1.0 / 6;           // No drawn ideal is nearer to a bound.
constexpr double kUnrelated = 0.2;            // The share of draws that resemble nothing.
constexpr double kResemblance = 0.06;         // How far others are away, as deviation.

SearchSpace WithoutConditions(const SearchSpace& space) {
  std::vector<Parameter> parameters = space.parameters();
  for (Parameter& parameter : parameters) parameter.condition.reset();
  // Valid as the space's own parameters are.
  return *SearchSpace::Create(std::move(parameters));
}

Configuration DrawnIdeal(const SearchSpace& space, Draws& draws) {
  std::vector<double> coordinates;
  for (size_t i = 0; i < space.dimension(); ++i) {
    const double margin = space.IsUnordered(i) ? 0 : kInside;
    coordinates.push_back(draws.Between(margin, 1 - margin));
  }
  return space.Sample(coordinates);
}

// In [0, 1).
double ShareResembling(double share, uint64_t seed, uint64_t index) {
  if (CounterRandomUniform(seed, index, 0) < kUnrelated) {
    return CounterRandomUniform(seed, index, 1);
  }
  const double beside = std::abs(share + kResemblance * StandardNormal(seed, index, 1));
  const double reflected = beside > 1 ? std::max(0.0, 2 - beside) : beside;
  return std::min(reflected, std::nextafter(1.0, 0.0));
}

}  // namespace

Draws Draws::Resembling(uint64_t seed) const {
  Draws draws(seed_);
  draws.resembling_ = seed ^ kTaskSalt;
  return draws;
}

double Draws::Between(double min, double max) {
  const uint64_t index = next_++;
  double share = CounterRandomUniform(seed_ ^ kTaskSalt, index, 0);
  if (resembling_.has_value()) share = ShareResembling(share, *resembling_, index);
  return min + (max - min) * share;
}

size_t Draws::Below(size_t count) {
  return std::min(count - 1, static_cast<size_t>(Between(0, static_cast<double>(count))));
}

std::vector<size_t> Draws::Order(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[Below(i)]);
  return order;
}

Setting::Setting(const SearchSpace& space, const Configuration& configuration)
    : space_(space), configuration_(configuration), coordinates_(space.dimension()) {
  space.EncodeCoordinates(configuration, absl::MakeSpan(coordinates_));
}

size_t Setting::Choice(absl::string_view name) const {
  return static_cast<size_t>(configuration_.values[IndexOf(name)].level());
}

bool Setting::Is(absl::string_view name, absl::string_view word) const {
  const size_t index = IndexOf(name);
  const Value& value = configuration_.values[index];
  return value.active() && std::get<std::string>(space_.NameValue(index, value)) == word;
}

Ideal::Ideal(const SearchSpace& space, Draws& draws)
    : all_(WithoutConditions(space)), values_(DrawnIdeal(all_, draws)) {
  Encode();
}

void Ideal::Set(absl::string_view name, const NamedValue& value) {
  const size_t index = all_.IndexOf(name).value();
  values_.values[index] = *all_.ResolveValue(index, value);
  Encode();
}

void Ideal::SetAt(absl::string_view name, double coordinate) {
  const size_t index = all_.IndexOf(name).value();
  std::vector<double> point(all_.dimension(), 0.5);
  point[index] = coordinate;
  values_.values[index] = all_.Decode(point).values[index];
  Encode();
}

double Ideal::At(absl::string_view name) const { return coordinates_[all_.IndexOf(name).value()]; }

size_t Ideal::Choice(absl::string_view name) const {
  return static_cast<size_t>(values_.values[all_.IndexOf(name).value()].level());
}

double Ideal::DistanceOf(const Setting& setting, absl::Span<const absl::string_view> names) const {
  double sum = 0;
  for (const absl::string_view name : names) {
    const double target = At(name);
    sum += std::pow((setting.At(name) - target) / std::max(target, 1 - target), 2);
  }
  return std::sqrt(sum / static_cast<double>(names.size()));
}

Configuration Ideal::In(const SearchSpace& conditional) const {
  Configuration configuration;
  configuration.values.resize(conditional.dimension());
  for (const size_t index : conditional.ParentsFirst()) {
    if (conditional.IsActive(index, configuration)) {
      configuration.values[index] = values_.values[index];
    }
  }
  return configuration;
}

void Ideal::Encode() { coordinates_ = CoordinatesOf(all_, values_); }

}  // namespace slipstream::evidence
