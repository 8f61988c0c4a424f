#include "core/space/domain_value.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"
#include "core/base/utf8.h"

namespace slipstream {
namespace {

// Above this, not every whole number is a double.
constexpr double kMaxWholeDouble = 9007199254740992.0;  // 2^53
constexpr double kInt64End = 9223372036854775808.0;     // 2^63

std::optional<double> NumberOf(const NamedValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    const double number = static_cast<double>(*whole);
    if (number < kInt64End && static_cast<int64_t>(number) == *whole) return number;
  }
  return std::nullopt;
}

std::optional<int64_t> IntegerOf(const NamedValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) {
    // A comparison with NaN is false.
    if (std::fabs(*number) <= kMaxWholeDouble && std::trunc(*number) == *number) {
      return static_cast<int64_t>(*number);
    }
  }
  return std::nullopt;
}

std::optional<Value> UncheckedValue(const Domain& domain, const LevelIndex& levels,
                                    const NamedValue& value) {
  if (std::holds_alternative<IntegerDomain>(domain)) {
    const std::optional<int64_t> whole = IntegerOf(value);
    if (whole.has_value()) return Value::Integer(*whole);
  } else if (std::holds_alternative<CategoricalDomain>(domain)) {
    const auto* word = std::get_if<std::string>(&value);
    const auto level = word == nullptr ? levels.end() : levels.find(*word);
    if (level != levels.end()) return Value::Level(level->second);
  } else if (std::holds_alternative<BooleanDomain>(domain)) {
    if (const auto* truth = std::get_if<bool>(&value)) return Value::Boolean(*truth);
  } else {
    const std::optional<double> number = NumberOf(value);
    if (number.has_value()) return Value::Double(*number);
  }
  return std::nullopt;
}

// Maximum length of each category in a list of them.
constexpr size_t kMaxShownBytes = 32;

// "one of a, b, c", or the first few of many.
std::string OneOf(const std::vector<std::string>& choices) {
  constexpr size_t kMaxShown = 8;
  if (choices.size() <= kMaxShown) return absl::StrCat("one of ", absl::StrJoin(choices, ", "));
  const std::vector<std::string> shown(choices.begin(), choices.begin() + kMaxShown);
  return absl::StrCat("one of ", choices.size(), " values (", absl::StrJoin(shown, ", "), ", ...)");
}

std::vector<std::string> ChoicesOf(const DiscreteDomain& domain) {
  std::vector<std::string> choices;
  for (double value : domain.values) choices.push_back(FormatNumber(value));
  return choices;
}

std::vector<std::string> ChoicesOf(const CategoricalDomain& domain) {
  std::vector<std::string> choices;
  for (const std::string& value : domain.values) {
    choices.push_back(absl::StrCat("\"", PrintableText(value, kMaxShownBytes), "\""));
  }
  return choices;
}

}  // namespace

LevelIndex LevelIndexOf(const Domain& domain) {
  LevelIndex levels;
  const auto* words = std::get_if<CategoricalDomain>(&domain);
  if (words == nullptr) return levels;
  for (size_t i = 0; i < words->values.size(); ++i) {
    levels.emplace(words->values[i], static_cast<int64_t>(i));
  }
  return levels;
}

std::optional<Value> ValueInDomain(const Domain& domain, const LevelIndex& levels,
                                   const NamedValue& value) {
  const std::optional<Value> unchecked = UncheckedValue(domain, levels, value);
  if (!unchecked.has_value() || !IsInDomain(domain, *unchecked)) return std::nullopt;
  return unchecked;
}

bool IsInDomain(const Domain& domain, const Value& value) {
  if (const auto* real = std::get_if<DoubleDomain>(&domain)) {
    return value.kind() == Value::Kind::kDouble && value.number() >= real->min &&
           value.number() <= real->max;
  }
  if (const auto* whole = std::get_if<IntegerDomain>(&domain)) {
    return value.kind() == Value::Kind::kInteger && value.integer() >= whole->min &&
           value.integer() <= whole->max;
  }
  if (const auto* discrete = std::get_if<DiscreteDomain>(&domain)) {
    // NaN would pass a binary search, since it is neither less nor greater.
    return value.kind() == Value::Kind::kDouble && std::isfinite(value.number()) &&
           std::binary_search(discrete->values.begin(), discrete->values.end(), value.number());
  }
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) {
    return value.kind() == Value::Kind::kLevel && value.level() >= 0 &&
           static_cast<uint64_t>(value.level()) < words->values.size();
  }
  return value.kind() == Value::Kind::kBoolean;
}

NamedValue NameInDomain(const Domain& domain, const Value& value) {
  if (std::holds_alternative<IntegerDomain>(domain)) return value.integer();
  if (std::holds_alternative<BooleanDomain>(domain)) return value.boolean();
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) {
    return words->values[static_cast<size_t>(value.level())];
  }
  return value.number();
}

std::string TextOf(const NamedValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return FormatNumber(*number);
  if (const auto* whole = std::get_if<int64_t>(&value)) return absl::StrCat(*whole);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return absl::StrCat("\"", std::get<std::string>(value), "\"");
}

std::string BoundOf(const Domain& domain) {
  if (const auto* real = std::get_if<DoubleDomain>(&domain)) {
    return absl::StrCat("a number from ", FormatNumber(real->min), " to ", FormatNumber(real->max));
  }
  if (const auto* whole = std::get_if<IntegerDomain>(&domain)) {
    return absl::StrCat("a whole number from ", whole->min, " to ", whole->max);
  }
  if (const auto* discrete = std::get_if<DiscreteDomain>(&domain)) {
    return OneOf(ChoicesOf(*discrete));
  }
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) return OneOf(ChoicesOf(*words));
  return "true or false";
}

}  // namespace slipstream
