#include "client/cli/value_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"

namespace slipstream::cli {
namespace {

absl::Status Wrong(absl::string_view text, absl::string_view complaint) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' ", complaint));
}

absl::Status Outside(const v1::Parameter& parameter, absl::string_view value) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", value, "' is not ", DescribeDomain(parameter)));
}

template <typename Value, typename Domain>
bool IsOneOf(const Domain& domain, const Value& value) {
  return std::find(domain.values().begin(), domain.values().end(), value) != domain.values().end();
}

template <typename Value, typename Domain>
bool IsInRange(const Domain& domain, Value value) {
  return value >= domain.min() && value <= domain.max();
}

// Whether the domain has `value`, which must be of the domain's own kind.
bool IsLegal(const v1::Parameter& parameter, const v1::ParameterValue& value) {
  if (parameter.has_double_domain()) {
    return IsInRange(parameter.double_domain(), value.double_value());
  }
  if (parameter.has_integer_domain()) {
    return IsInRange(parameter.integer_domain(), value.integer_value());
  }
  if (parameter.has_discrete_domain()) {
    return IsOneOf(parameter.discrete_domain(), value.double_value());
  }
  return parameter.has_boolean_domain() ||
         IsOneOf(parameter.categorical_domain(), value.category_value());
}

bool IsNumber(const v1::ParameterValue& value) {
  return value.has_double_value() || value.has_integer_value();
}

double NumberOf(const v1::ParameterValue& value) {
  return value.has_double_value() ? value.double_value()
                                  : static_cast<double>(value.integer_value());
}

// Parses `text` as a value of the domain's kind, which need not be legal.
absl::StatusOr<v1::ParameterValue> ReadKind(const v1::Parameter& parameter,
                                            absl::string_view text) {
  v1::ParameterValue value;
  switch (parameter.domain_case()) {
    case v1::Parameter::kDoubleDomain:
    case v1::Parameter::kDiscreteDomain: {
      const absl::StatusOr<double> number = ParseNumber(text);
      if (!number.ok()) return number.status();
      value.set_double_value(*number);
      return value;
    }
    case v1::Parameter::kIntegerDomain: {
      const absl::StatusOr<int64_t> integer = ParseInteger(text);
      if (!integer.ok()) return integer.status();
      value.set_integer_value(*integer);
      return value;
    }
    case v1::Parameter::kCategoricalDomain:
      value.set_category_value(std::string(text));
      return value;
    case v1::Parameter::kBooleanDomain: {
      const absl::StatusOr<bool> truth = ParseBoolean(text);
      if (!truth.ok()) return truth.status();
      value.set_boolean_value(*truth);
      return value;
    }
    case v1::Parameter::DOMAIN_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("the parameter has no domain");
}

std::string Range(const std::string& low, const std::string& high) {
  return absl::StrCat(low, "..", high);
}

}  // namespace

std::string FormatNumber(double value) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

std::string FormatValue(const v1::ParameterValue& value) {
  switch (value.kind_case()) {
    case v1::ParameterValue::kDoubleValue:
      return FormatNumber(value.double_value());
    case v1::ParameterValue::kIntegerValue:
      return absl::StrCat(value.integer_value());
    case v1::ParameterValue::kCategoryValue:
      return value.category_value();
    case v1::ParameterValue::kBooleanValue:
      return value.boolean_value() ? "true" : "false";
    case v1::ParameterValue::KIND_NOT_SET:
      break;
  }
  return "";
}

std::string FormatCondition(const v1::Condition& condition) {
  const auto append = [](std::string* out, const v1::ParameterValue& value) {
    out->append(FormatValue(value));
  };
  return absl::StrCat(condition.parent(), " is ",
                      absl::StrJoin(condition.values(), " or ", append));
}

std::string RoundNumber(double value) { return absl::StrCat(value); }

std::string RoundValue(const v1::ParameterValue& value) {
  return value.has_double_value() ? RoundNumber(value.double_value()) : FormatValue(value);
}

std::string FormatTime(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0 && time.nanos() == 0) return "";
  return absl::FormatTime("%Y-%m-%d %H:%M:%SZ", absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

absl::StatusOr<double> ParseNumber(absl::string_view text) {
  double value = 0;
  const bool hexadecimal = absl::StrContains(text, 'x') || absl::StrContains(text, 'X');
  if (hexadecimal || !absl::SimpleAtod(text, &value)) return Wrong(text, "is not a number");
  if (!std::isfinite(value)) return Wrong(text, "is not a finite number");
  return value;
}

absl::StatusOr<int64_t> ParseInteger(absl::string_view text) {
  int64_t integer = 0;
  if (absl::SimpleAtoi(text, &integer)) return integer;
  const absl::StatusOr<double> number = ParseNumber(text);
  const bool whole = number.ok() && std::trunc(*number) == *number;
  if (!whole) return Wrong(text, "is not a whole number");
  // Beyond 2^53 a double may not be the number that was written.
  const bool exact = std::abs(*number) <= static_cast<double>(int64_t{1} << 53);
  if (exact) return static_cast<int64_t>(*number);
  return Wrong(text, "is too far from 0: whole numbers end at 2^63, and at 2^53 if written with an "
                     "exponent or a decimal point");
}

absl::StatusOr<bool> ParseBoolean(absl::string_view text) {
  const absl::string_view word = absl::StripAsciiWhitespace(text);
  if (absl::EqualsIgnoreCase(word, "true") || word == "1") return true;
  if (absl::EqualsIgnoreCase(word, "false") || word == "0") return false;
  return Wrong(text, "is not true or false");
}

absl::StatusOr<v1::ParameterValue> ParseValue(const v1::Parameter& parameter,
                                              absl::string_view text) {
  const absl::StatusOr<v1::ParameterValue> value = ReadKind(parameter, text);
  if (!value.ok()) return value.status();
  if (!IsLegal(parameter, *value)) return Outside(parameter, text);
  return value;
}

bool SameValue(const v1::ParameterValue& a, const v1::ParameterValue& b) {
  if (IsNumber(a) && IsNumber(b)) return NumberOf(a) == NumberOf(b);
  if (a.kind_case() != b.kind_case()) return false;
  switch (a.kind_case()) {
    case v1::ParameterValue::kCategoryValue:
      return a.category_value() == b.category_value();
    case v1::ParameterValue::kBooleanValue:
      return a.boolean_value() == b.boolean_value();
    default:
      return true;
  }
}

std::string DescribeDomain(const v1::Parameter& parameter) {
  switch (parameter.domain_case()) {
    case v1::Parameter::kDoubleDomain:
      return "in " + Range(FormatNumber(parameter.double_domain().min()),
                           FormatNumber(parameter.double_domain().max()));
    case v1::Parameter::kIntegerDomain:
      return "a whole number in " + Range(absl::StrCat(parameter.integer_domain().min()),
                                          absl::StrCat(parameter.integer_domain().max()));
    case v1::Parameter::kDiscreteDomain:
      return "one of " + absl::StrJoin(parameter.discrete_domain().values(), ", ",
                                       [](std::string* out, double value) {
                                         out->append(FormatNumber(value));
                                       });
    case v1::Parameter::kCategoricalDomain:
      return "one of " + absl::StrJoin(parameter.categorical_domain().values(), ", ");
    case v1::Parameter::kBooleanDomain:
      return "true or false";
    case v1::Parameter::DOMAIN_NOT_SET:
      break;
  }
  return "anything";
}

}  // namespace slipstream::cli
