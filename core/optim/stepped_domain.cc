#include "core/optim/stepped_domain.h"

#include <algorithm>
#include <variant>

namespace slipstream {

bool IsStepped(const Domain& domain) { return !std::holds_alternative<DoubleDomain>(domain); }

int64_t CountOf(const Domain& domain) {
  if (const auto* integers = std::get_if<IntegerDomain>(&domain)) {
    return integers->max - integers->min + 1;
  }
  if (const auto* numbers = std::get_if<DiscreteDomain>(&domain)) {
    return static_cast<int64_t>(numbers->values.size());
  }
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) {
    return static_cast<int64_t>(words->values.size());
  }
  return 2;
}

Value ValueAt(const Domain& domain, int64_t place) {
  if (const auto* integers = std::get_if<IntegerDomain>(&domain)) {
    return Value::Integer(integers->min + place);
  }
  if (const auto* numbers = std::get_if<DiscreteDomain>(&domain)) {
    return Value::Double(numbers->values[static_cast<size_t>(place)]);
  }
  if (std::holds_alternative<CategoricalDomain>(domain)) return Value::Level(place);
  return Value::Boolean(place != 0);
}

int64_t PlaceOf(const Domain& domain, const Value& value) {
  if (const auto* integers = std::get_if<IntegerDomain>(&domain)) {
    return value.integer() - integers->min;
  }
  if (const auto* numbers = std::get_if<DiscreteDomain>(&domain)) {
    const auto place =
        std::lower_bound(numbers->values.begin(), numbers->values.end(), value.number());
    return place - numbers->values.begin();
  }
  if (std::holds_alternative<CategoricalDomain>(domain)) return value.level();
  return value.boolean() ? 1 : 0;
}

}  // namespace slipstream
