#include "tests/core/space/random_space.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/base/counter_random.h"

namespace slipstream {
namespace {

constexpr double kExtremes[] = {0.0,     5e-324,  DBL_MIN, 1e-300, 1e-5,   0.1,    1.0,
                                1.0 + DBL_EPSILON, 2.0, 1e5,   1e15,   1e300,  DBL_MAX};

Scale RandomScale(RandomStream& random) {
  constexpr Scale kScales[] = {Scale::kLinear, Scale::kLog, Scale::kReverseLog};
  return kScales[random.Below(3)];
}

double RandomEnd(RandomStream& random, Scale scale) {
  double end = random.OneIn(2) ? kExtremes[random.Below(std::size(kExtremes))] : random.AnyDouble();
  if (scale != Scale::kLinear) return end == 0 ? 5e-324 : std::fabs(end);
  return random.OneIn(2) ? -end : end;
}

DoubleDomain RandomDoubleDomain(RandomStream& random) {
  DoubleDomain domain;
  domain.scale = RandomScale(random);
  domain.min = RandomEnd(random, domain.scale);
  domain.max = RandomEnd(random, domain.scale);
  if (random.OneIn(5)) {  // A range of a few representable numbers.
    domain.max = domain.min;
    for (size_t i = random.Below(4); i > 0; --i) domain.max = std::nextafter(domain.max, DBL_MAX);
  }
  if (domain.min > domain.max) std::swap(domain.min, domain.max);
  if (domain.min == domain.max) {
    (domain.max < DBL_MAX ? domain.max : domain.min) =
        std::nextafter(domain.max, domain.max < DBL_MAX ? DBL_MAX : 0);
  }
  return domain;
}

IntegerDomain RandomIntegerDomain(RandomStream& random) {
  constexpr uint64_t kMaxSpan = uint64_t{1} << 53;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  IntegerDomain domain;
  domain.scale = RandomScale(random);
  const uint64_t span = random.OneIn(4) ? kMaxSpan - random.Below(2)
                                        : (random.Bits() >> (11 + random.Below(53)));
  const int64_t lowest =
      domain.scale == Scale::kLinear ? std::numeric_limits<int64_t>::min() : int64_t{1};
  switch (random.Below(4)) {
    case 0:
      domain.min = lowest;
      break;
    case 1:
      domain.min = kMax - static_cast<int64_t>(span);
      break;
    case 2:
      domain.min = domain.scale == Scale::kLinear ? -static_cast<int64_t>(span / 2) : 2;
      break;
    default:
      domain.min = 1 + static_cast<int64_t>(random.Bits() >> (2 + random.Below(60)));
  }
  domain.max = domain.min + static_cast<int64_t>(span);
  return domain;
}

DiscreteDomain RandomDiscreteDomain(RandomStream& random) {
  DiscreteDomain domain;
  domain.scale = RandomScale(random);
  std::set<double> values;
  const size_t count = 1 + random.Below(random.OneIn(10) ? 1000 : 8);
  while (values.size() < count) {
    double value = RandomEnd(random, domain.scale);
    for (int run = 0; run < 3 && values.size() < count; ++run) {  // With close neighbours.
      values.insert(value);
      value = std::nextafter(value, DBL_MAX);
    }
  }
  domain.values.assign(values.begin(), values.end());
  return domain;
}

CategoricalDomain RandomCategoricalDomain(RandomStream& random) {
  CategoricalDomain domain;
  const size_t count = 1 + random.Below(random.OneIn(10) ? 1000 : 6);
  for (size_t i = 0; i < count; ++i) domain.values.push_back("word " + std::to_string(i));
  return domain;
}

Domain RandomDomain(RandomStream& random) {
  switch (random.Below(5)) {
    case 0:
      return RandomDoubleDomain(random);
    case 1:
      return RandomIntegerDomain(random);
    case 2:
      return RandomDiscreteDomain(random);
    case 3:
      return RandomCategoricalDomain(random);
    default:
      return BooleanDomain{};
  }
}

NamedValue NamedAs(const Domain& domain, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kInteger:
      return value.integer();
    case Value::Kind::kBoolean:
      return value.boolean();
    case Value::Kind::kLevel:
      return std::get<CategoricalDomain>(domain).values[static_cast<size_t>(value.level())];
    default:
      return value.number();
  }
}

Condition RandomCondition(RandomStream& random, const Parameter& parent) {
  Condition condition{parent.name, {}};
  for (size_t i = 1 + random.Below(3); i > 0; --i) {
    condition.values.push_back(NamedAs(parent.domain, RandomValue(random, parent.domain)));
  }
  return condition;
}

double RandomDouble(RandomStream& random, const DoubleDomain& domain) {
  switch (random.Below(6)) {
    case 0:
      return domain.min;
    case 1:
      return domain.max;
    case 2:
      return std::nextafter(domain.min, DBL_MAX);
    case 3:
      return std::nextafter(domain.max, -DBL_MAX);
    case 4:
      return std::clamp(random.AnyDouble(), domain.min, domain.max);
    default:
      return std::clamp(domain.min / 2 + random.Uniform() * (domain.max / 2 - domain.min / 2) +
                            domain.min / 2,
                        domain.min, domain.max);
  }
}

int64_t RandomInteger(RandomStream& random, const IntegerDomain& domain) {
  const uint64_t span = static_cast<uint64_t>(domain.max) - static_cast<uint64_t>(domain.min);
  uint64_t offset = random.Bits() % (span + 1);
  if (random.OneIn(4)) offset = 0;
  if (random.OneIn(4)) offset = span;
  if (random.OneIn(4)) offset = std::min(span, random.Bits() >> random.Below(64));
  return static_cast<int64_t>(static_cast<uint64_t>(domain.min) + offset);
}

}  // namespace

uint64_t RandomStream::Bits() { return CounterRandomBits(seed_, drawn_++, 0x7E57); }

double RandomStream::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1.0p-53; }

double RandomStream::AnyDouble() {
  double value;
  do {
    const uint64_t bits = Bits();
    std::memcpy(&value, &bits, sizeof(value));
  } while (!std::isfinite(value));
  return value;
}

Value RandomValue(RandomStream& random, const Domain& domain) {
  if (const auto* real = std::get_if<DoubleDomain>(&domain)) {
    return Value::Double(RandomDouble(random, *real));
  }
  if (const auto* whole = std::get_if<IntegerDomain>(&domain)) {
    return Value::Integer(RandomInteger(random, *whole));
  }
  if (const auto* discrete = std::get_if<DiscreteDomain>(&domain)) {
    return Value::Double(discrete->values[random.Below(discrete->values.size())]);
  }
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) {
    return Value::Level(static_cast<int64_t>(random.Below(words->values.size())));
  }
  return Value::Boolean(random.OneIn(2));
}

SearchSpace RandomSpace(RandomStream& random, size_t max_parameters) {
  const size_t count = 1 + random.Below(max_parameters);
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < count; ++i) {
    Parameter parameter;
    parameter.name = "p" + std::to_string(i);
    parameter.domain = RandomDomain(random);
    if (random.OneIn(3)) {
      parameter.default_value = NamedAs(parameter.domain, RandomValue(random, parameter.domain));
    }
    if (i > 0 && !random.OneIn(3)) {
      const Parameter& parent = parameters[random.Below(i)];
      if (!std::holds_alternative<DoubleDomain>(parent.domain)) {
        parameter.condition = RandomCondition(random, parent);
      }
    }
    parameters.push_back(std::move(parameter));
  }
  if (random.OneIn(2)) std::reverse(parameters.begin(), parameters.end());
  absl::StatusOr<SearchSpace> space = SearchSpace::Create(std::move(parameters));
  if (!space.ok()) {
    std::fprintf(stderr, "not a legal space: %s\n", space.status().ToString().c_str());
    std::abort();
  }
  return *std::move(space);
}

Configuration RandomConfiguration(RandomStream& random, const SearchSpace& space) {
  Configuration configuration;
  configuration.values.resize(space.dimension());
  for (size_t parameter : space.ParentsFirst()) {
    if (!space.IsActive(parameter, configuration)) continue;
    configuration.values[parameter] =
        RandomValue(random, space.parameters()[parameter].domain);
  }
  return configuration;
}

}  // namespace slipstream
