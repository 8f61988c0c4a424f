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

constexpr double kTwoTo63 = 9223372036854775808.0;

absl::Status Wrong(absl::string_view text, absl::string_view complaint) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' ", complaint));
}

absl::Status Outside(const v1::Parameter& parameter, absl::string_view value) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", value, "' is not ", DescribeDomain(parameter)));
}

absl::Status OtherKind(const v1::Parameter& parameter, const v1::ParameterValue& value) {
  return Outside(parameter, FormatValue(value));
}

bool IsExactInteger(double value) {
  return std::trunc(value) == value && value >= -kTwoTo63 && value < kTwoTo63;
}

bool IsDiscreteValue(const v1::DiscreteDomain& domain, double value) {
  return std::find(domain.values().begin(), domain.values().end(), value) !=
         domain.values().end();
}

bool IsLegalNumber(const v1::Parameter& parameter, double value) {
  if (parameter.has_discrete_domain()) return IsDiscreteValue(parameter.discrete_domain(), value);
  return value >= parameter.double_domain().min() && value <= parameter.double_domain().max();
}

bool IsCategory(const v1::CategoricalDomain& domain, const std::string& word) {
  return std::find(domain.values().begin(), domain.values().end(), word) != domain.values().end();
}

// A value of the kind that its text has by itself, before any domain is asked.
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

absl::StatusOr<v1::ParameterValue> NormalizeNumber(const v1::Parameter& parameter,
                                                   const v1::ParameterValue& value) {
  if (!value.has_double_value() && !value.has_integer_value()) return OtherKind(parameter, value);
  const double number = value.has_double_value() ? value.double_value()
                                                 : static_cast<double>(value.integer_value());
  if (!IsLegalNumber(parameter, number)) return Outside(parameter, FormatValue(value));
  v1::ParameterValue normal;
  normal.set_double_value(number);
  return normal;
}

absl::StatusOr<v1::ParameterValue> NormalizeInteger(const v1::Parameter& parameter,
                                                    const v1::ParameterValue& value) {
  v1::ParameterValue normal;
  if (value.has_integer_value()) {
    normal = value;
  } else if (value.has_double_value() && IsExactInteger(value.double_value())) {
    normal.set_integer_value(static_cast<int64_t>(value.double_value()));
  } else {
    return OtherKind(parameter, value);
  }
  const v1::IntegerDomain& domain = parameter.integer_domain();
  if (normal.integer_value() < domain.min() || normal.integer_value() > domain.max()) {
    return Outside(parameter, FormatValue(value));
  }
  return normal;
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
  // Beyond 2^53 a double may not be the number that was written.
  const bool whole = number.ok() && std::trunc(*number) == *number &&
                     std::abs(*number) <= static_cast<double>(int64_t{1} << 53);
  if (whole) return static_cast<int64_t>(*number);
  return Wrong(text, "is not a whole number");
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
  if (!NormalizeValue(parameter, *value).ok()) return Outside(parameter, text);
  return value;
}

absl::StatusOr<v1::ParameterValue> NormalizeValue(const v1::Parameter& parameter,
                                                  const v1::ParameterValue& value) {
  switch (parameter.domain_case()) {
    case v1::Parameter::kDoubleDomain:
    case v1::Parameter::kDiscreteDomain:
      return NormalizeNumber(parameter, value);
    case v1::Parameter::kIntegerDomain:
      return NormalizeInteger(parameter, value);
    case v1::Parameter::kCategoricalDomain:
      if (value.has_category_value() &&
          IsCategory(parameter.categorical_domain(), value.category_value())) {
        return value;
      }
      return OtherKind(parameter, value);
    case v1::Parameter::kBooleanDomain:
      if (value.has_boolean_value()) return value;
      return OtherKind(parameter, value);
    case v1::Parameter::DOMAIN_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("the parameter has no domain");
}

bool SameValue(const v1::ParameterValue& a, const v1::ParameterValue& b) {
  if (a.kind_case() != b.kind_case()) return false;
  switch (a.kind_case()) {
    case v1::ParameterValue::kDoubleValue:
      return a.double_value() == b.double_value();
    case v1::ParameterValue::kIntegerValue:
      return a.integer_value() == b.integer_value();
    case v1::ParameterValue::kCategoryValue:
      return a.category_value() == b.category_value();
    case v1::ParameterValue::kBooleanValue:
      return a.boolean_value() == b.boolean_value();
    case v1::ParameterValue::KIND_NOT_SET:
      break;
  }
  return true;
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
