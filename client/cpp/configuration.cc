#include "slipstream/messages/configuration.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

absl::StatusOr<v1::ParameterValue> ValueOf(const v1::Configuration& configuration,
                                           const std::string& parameter) {
  const auto found = configuration.values().find(parameter);
  if (found != configuration.values().end()) return found->second;
  return absl::NotFoundError(absl::StrCat("the configuration has no value for '", parameter, "'"));
}

const char* KindOf(const v1::ParameterValue& value) {
  switch (value.kind_case()) {
    case v1::ParameterValue::kDoubleValue:
      return "a double";
    case v1::ParameterValue::kIntegerValue:
      return "an integer";
    case v1::ParameterValue::kCategoryValue:
      return "a category";
    case v1::ParameterValue::kBooleanValue:
      return "a boolean";
    case v1::ParameterValue::KIND_NOT_SET:
      break;
  }
  return "empty";
}

absl::Status OtherKind(const std::string& parameter, const v1::ParameterValue& value,
                       const char* wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", parameter, "' is ", KindOf(value), ", not ", wanted));
}

absl::Status Lossy(const std::string& parameter, const std::string& value, const char* wanted) {
  return absl::OutOfRangeError(
      absl::StrCat("'", parameter, "' is ", value, ", which is not exactly ", wanted));
}

bool IsExactInteger(double value) {
  return std::trunc(value) == value && value >= -kTwoTo63 && value < kTwoTo63;
}

}  // namespace

bool HasValue(const v1::Configuration& configuration, const std::string& parameter) {
  return configuration.values().contains(parameter);
}

absl::StatusOr<double> GetDouble(const v1::Configuration& configuration,
                                 const std::string& parameter) {
  const absl::StatusOr<v1::ParameterValue> value = ValueOf(configuration, parameter);
  if (!value.ok()) return value.status();
  if (value->has_double_value()) return value->double_value();
  if (!value->has_integer_value()) return OtherKind(parameter, *value, "a double");
  const double number = static_cast<double>(value->integer_value());
  if (number < kTwoTo63 && static_cast<int64_t>(number) == value->integer_value()) return number;
  return Lossy(parameter, absl::StrCat(value->integer_value()), "a double");
}

absl::StatusOr<int64_t> GetInteger(const v1::Configuration& configuration,
                                   const std::string& parameter) {
  const absl::StatusOr<v1::ParameterValue> value = ValueOf(configuration, parameter);
  if (!value.ok()) return value.status();
  if (value->has_integer_value()) return value->integer_value();
  if (!value->has_double_value()) return OtherKind(parameter, *value, "an integer");
  if (IsExactInteger(value->double_value())) return static_cast<int64_t>(value->double_value());
  return Lossy(parameter, absl::StrCat(value->double_value()), "an integer");
}

absl::StatusOr<std::string> GetCategory(const v1::Configuration& configuration,
                                        const std::string& parameter) {
  const absl::StatusOr<v1::ParameterValue> value = ValueOf(configuration, parameter);
  if (!value.ok()) return value.status();
  if (value->has_category_value()) return value->category_value();
  return OtherKind(parameter, *value, "a category");
}

absl::StatusOr<bool> GetBoolean(const v1::Configuration& configuration,
                                const std::string& parameter) {
  const absl::StatusOr<v1::ParameterValue> value = ValueOf(configuration, parameter);
  if (!value.ok()) return value.status();
  if (value->has_boolean_value()) return value->boolean_value();
  return OtherKind(parameter, *value, "a boolean");
}

absl::StatusOr<double> GetDouble(const v1::Trial& trial, const std::string& parameter) {
  return GetDouble(trial.configuration(), parameter);
}

absl::StatusOr<int64_t> GetInteger(const v1::Trial& trial, const std::string& parameter) {
  return GetInteger(trial.configuration(), parameter);
}

absl::StatusOr<std::string> GetCategory(const v1::Trial& trial, const std::string& parameter) {
  return GetCategory(trial.configuration(), parameter);
}

absl::StatusOr<bool> GetBoolean(const v1::Trial& trial, const std::string& parameter) {
  return GetBoolean(trial.configuration(), parameter);
}

void SetDouble(v1::Configuration* configuration, const std::string& parameter, double value) {
  (*configuration->mutable_values())[parameter].set_double_value(value);
}

void SetInteger(v1::Configuration* configuration, const std::string& parameter, int64_t value) {
  (*configuration->mutable_values())[parameter].set_integer_value(value);
}

void SetCategory(v1::Configuration* configuration, const std::string& parameter,
                 const std::string& value) {
  (*configuration->mutable_values())[parameter].set_category_value(value);
}

void SetBoolean(v1::Configuration* configuration, const std::string& parameter, bool value) {
  (*configuration->mutable_values())[parameter].set_boolean_value(value);
}

}  // namespace slipstream
