#include "client/cpp/parameter_text.h"

#include <array>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cpp/overloaded.h"

namespace slipstream::client_internal {
namespace {

using client::Parameter;
using client::Value;

// With as few digits as tell it from all others.
std::string TextOf(double number) {
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), written.ptr);
}

std::string Quote(const std::string& word) { return absl::StrCat("\"", word, "\""); }

template <typename Values, typename Text>
std::string List(const Values& values, Text text) {
  const auto append = [&text](std::string* out, const auto& value) {
    absl::StrAppend(out, text(value));
  };
  return absl::StrCat("{", absl::StrJoin(values, ", ", append), "}");
}

std::string Domain(const Parameter& parameter) {
  return std::visit(
      Overloaded{[&](const Parameter::RealRange& range) {
                   const bool log = parameter.scale() == Parameter::Scale::kLog;
                   const bool reverse = parameter.scale() == Parameter::Scale::kReverseLog;
                   return absl::StrCat(log       ? "Log("
                                       : reverse ? "ReverseLog("
                                                 : "Real(",
                                       TextOf(range.min), ", ", TextOf(range.max), ")");
                 },
                 [](const Parameter::IntegerRange& range) {
                   return absl::StrCat("Integer(", range.min, ", ", range.max, ")");
                 },
                 [](const Parameter::Numbers& numbers) {
                   return absl::StrCat("Discrete(",
                                       List(numbers, [](double number) { return TextOf(number); }),
                                       ")");
                 },
                 [](const Parameter::Words& words) {
                   return absl::StrCat("Choice(", List(words, Quote), ")");
                 },
                 [](const Parameter::Boolean&) { return std::string("Boolean()"); }},
      parameter.domain());
}

std::string Scale(const Parameter& parameter) {
  const bool in_name = std::holds_alternative<Parameter::RealRange>(parameter.domain());
  if (in_name || parameter.scale() == Parameter::Scale::kLinear) return "";
  return parameter.scale() == Parameter::Scale::kLog ? ".On(kLog)" : ".On(kReverseLog)";
}

}  // namespace

std::string TextOf(const Value& value) {
  return std::visit(Overloaded{[](double number) { return TextOf(number); },
                               [](int64_t number) { return absl::StrCat(number); },
                               [](bool flag) { return std::string(flag ? "true" : "false"); },
                               [](const std::string& word) { return Quote(word); }},
                    value);
}

std::string TextOf(const Parameter& parameter) {
  std::string text = Domain(parameter) + Scale(parameter);
  if (parameter.default_value()) {
    absl::StrAppend(&text, ".Default(", TextOf(*parameter.default_value()), ")");
  }
  if (parameter.parent().empty()) return text;
  const auto value_text = [](const Value& value) { return TextOf(value); };
  return absl::StrCat(text, ".When(", Quote(parameter.parent()), ", ",
                      List(parameter.parent_values(), value_text), ")");
}

}  // namespace slipstream::client_internal
