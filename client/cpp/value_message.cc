#include "client/cpp/value_message.h"

#include <cmath>
#include <cstdint>

#include "client/cpp/overloaded.h"

namespace slipstream::client_internal {

using client::Configuration;
using client::Parameter;
using client::Value;

v1::ParameterValue MessageOf(const Value& value) {
  v1::ParameterValue message;
  std::visit(Overloaded{[&](double number) { message.set_double_value(number); },
                        [&](int64_t number) { message.set_integer_value(number); },
                        [&](bool flag) { message.set_boolean_value(flag); },
                        [&](const std::string& word) { message.set_category_value(word); }},
             value);
  return message;
}

v1::Configuration MessageOf(const Configuration& configuration) {
  v1::Configuration message;
  for (const auto& [name, value] : configuration) {
    (*message.mutable_values())[name] = MessageOf(value);
  }
  return message;
}

Value ValueOf(const v1::ParameterValue& message) {
  switch (message.kind_case()) {
    case v1::ParameterValue::kIntegerValue:
      return message.integer_value();
    case v1::ParameterValue::kCategoryValue:
      return message.category_value();
    case v1::ParameterValue::kBooleanValue:
      return message.boolean_value();
    case v1::ParameterValue::kDoubleValue:
    case v1::ParameterValue::KIND_NOT_SET:
      break;
  }
  return message.double_value();
}

Configuration ConfigurationOf(const v1::Configuration& message) {
  Configuration configuration;
  for (const auto& [name, value] : message.values()) configuration[name] = ValueOf(value);
  return configuration;
}

Value InKindOf(const Parameter& parameter, const Value& value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool real = std::holds_alternative<Parameter::RealRange>(parameter.domain()) ||
                    std::holds_alternative<Parameter::Numbers>(parameter.domain());
  if (const auto* whole = std::get_if<int64_t>(&value); real && whole != nullptr) {
    return static_cast<double>(*whole);
  }
  const bool integer = std::holds_alternative<Parameter::IntegerRange>(parameter.domain());
  const auto* number = std::get_if<double>(&value);
  if (integer && number != nullptr && std::trunc(*number) == *number &&
      std::abs(*number) <= kExact) {
    return static_cast<int64_t>(*number);
  }
  return value;
}

}  // namespace slipstream::client_internal
