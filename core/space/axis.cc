#include "core/space/axis.h"

namespace slipstream {

Axis::Axis(const Domain& domain) : way_(WayOf(domain)) {}

Axis::Way Axis::WayOf(const Domain& domain) {
  if (const auto* real = std::get_if<DoubleDomain>(&domain)) {
    return DoubleAxis(real->min, real->max, real->scale);
  }
  if (const auto* whole = std::get_if<IntegerDomain>(&domain)) {
    return IntegerAxis(whole->min, whole->max, whole->scale);
  }
  if (const auto* discrete = std::get_if<DiscreteDomain>(&domain)) return DiscreteAxis(*discrete);
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) {
    return LevelAxis(words->values.size());
  }
  return BooleanAxis();
}

double Axis::CoordinateOf(const Value& value) const {
  if (const auto* real = std::get_if<DoubleAxis>(&way_)) return real->CoordinateOf(value.number());
  if (const auto* whole = std::get_if<IntegerAxis>(&way_)) {
    return whole->CoordinateOf(value.integer());
  }
  if (const auto* discrete = std::get_if<DiscreteAxis>(&way_)) {
    return discrete->CoordinateOf(value.number());
  }
  if (const auto* words = std::get_if<LevelAxis>(&way_)) {
    return words->CoordinateOf(static_cast<size_t>(value.level()));
  }
  return std::get<BooleanAxis>(way_).CoordinateOf(value.boolean() ? 1 : 0);
}

Value Axis::ValueAt(double coordinate) const {
  if (const auto* real = std::get_if<DoubleAxis>(&way_)) {
    return Value::Double(real->ValueAt(coordinate));
  }
  if (const auto* whole = std::get_if<IntegerAxis>(&way_)) {
    return Value::Integer(whole->ValueAt(coordinate));
  }
  if (const auto* discrete = std::get_if<DiscreteAxis>(&way_)) {
    return Value::Double(discrete->ValueAt(coordinate));
  }
  if (const auto* words = std::get_if<LevelAxis>(&way_)) {
    return Value::Level(static_cast<int64_t>(words->ChoiceAt(coordinate)));
  }
  return Value::Boolean(std::get<BooleanAxis>(way_).ChoiceAt(coordinate) == 1);
}

Value Axis::SampleAt(double coordinate) const {
  if (const auto* discrete = std::get_if<DiscreteAxis>(&way_)) {
    return Value::Double(discrete->SampleAt(coordinate));
  }
  return ValueAt(coordinate);
}

bool Axis::unordered() const {
  return std::holds_alternative<LevelAxis>(way_) || std::holds_alternative<BooleanAxis>(way_);
}

}  // namespace slipstream
