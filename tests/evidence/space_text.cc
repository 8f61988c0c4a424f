#include "tests/evidence/space_text.h"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"

namespace slipstream::evidence {
namespace {

// All digits, so that the same number is read again.
std::string JsonNumber(double number) { return absl::StrFormat("%.17g", number); }

std::string JsonValue(const NamedValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return JsonString(*word);
  if (const auto* number = std::get_if<double>(&value)) return JsonNumber(*number);
  return NamedValueText(value);
}

std::string JsonValues(const std::vector<NamedValue>& values) {
  return absl::StrCat("[",
                      absl::StrJoin(values, ", ",
                                    [](std::string* out, const NamedValue& value) {
                                      absl::StrAppend(out, JsonValue(value));
                                    }),
                      "]");
}

std::string JsonScale(Scale scale) {
  const char* name = scale == Scale::kLinear ? "linear"
                     : scale == Scale::kLog  ? "log"
                                             : "reverse_log";
  return absl::StrCat(", \"scale\": \"", name, "\"");
}

struct DomainText {
  std::string operator()(const DoubleDomain& domain) const {
    return absl::StrCat("\"type\": \"double\", \"min\": ", JsonNumber(domain.min),
                        ", \"max\": ", JsonNumber(domain.max), JsonScale(domain.scale));
  }
  std::string operator()(const IntegerDomain& domain) const {
    return absl::StrCat("\"type\": \"integer\", \"min\": ", domain.min, ", \"max\": ", domain.max,
                        JsonScale(domain.scale));
  }
  std::string operator()(const DiscreteDomain& domain) const {
    const std::vector<NamedValue> values(domain.values.begin(), domain.values.end());
    return absl::StrCat("\"type\": \"discrete\", \"values\": ", JsonValues(values),
                        JsonScale(domain.scale));
  }
  std::string operator()(const CategoricalDomain& domain) const {
    const std::vector<NamedValue> values(domain.values.begin(), domain.values.end());
    return absl::StrCat("\"type\": \"categorical\", \"values\": ", JsonValues(values));
  }
  std::string operator()(const BooleanDomain&) const { return "\"type\": \"boolean\""; }
};

std::string JsonOf(const Parameter& parameter) {
  std::string text = absl::StrCat("{\"name\": ", JsonString(parameter.name), ", ",
                                  std::visit(DomainText(), parameter.domain));
  if (parameter.condition.has_value()) {
    absl::StrAppend(&text,
                    ", \"condition\": {\"parent\": ", JsonString(parameter.condition->parent),
                    ", \"values\": ", JsonValues(parameter.condition->values), "}");
  }
  return absl::StrCat(text, "}");
}

absl::StatusOr<NamedValue> ParseValue(const Parameter& parameter, const std::string& text) {
  if (std::holds_alternative<CategoricalDomain>(parameter.domain)) return NamedValue(text);
  if (std::holds_alternative<BooleanDomain>(parameter.domain)) return NamedValue(text == "true");
  double number = 0;
  if (absl::SimpleAtod(text, &number)) return NamedValue(number);
  return InvalidField(parameter.name, text, "a number");
}

}  // namespace

std::string NamedValueText(const NamedValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return FormatNumber(*number);
  if (const auto* integer = std::get_if<int64_t>(&value)) return absl::StrCat(*integer);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  return std::get<bool>(value) ? "true" : "false";
}

std::string JsonString(absl::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

std::string JsonOf(const SearchSpace& space) {
  return absl::StrCat("[",
                      absl::StrJoin(space.parameters(), ", ",
                                    [](std::string* out, const Parameter& parameter) {
                                      absl::StrAppend(out, JsonOf(parameter));
                                    }),
                      "]");
}

std::string BranchText(const Problem& problem, const Configuration& configuration) {
  if (!problem.branch.has_value()) return "";
  const Value& value = configuration.values[*problem.branch];
  if (!value.active()) return "";
  return NamedValueText(problem.space->NameValue(*problem.branch, value));
}

std::string BestBranchesText(const Problem& problem) {
  return absl::StrJoin(problem.best_branches, "|", [&](std::string* out, const Value& value) {
    absl::StrAppend(out, NamedValueText(problem.space->NameValue(*problem.branch, value)));
  });
}

absl::StatusOr<Configuration> ParseConfiguration(const SearchSpace& space, absl::string_view line) {
  std::vector<Assignment> assignments;
  for (const absl::string_view part : absl::StrSplit(line, '\t', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::optional<size_t> index = space.IndexOf(sides.first);
    if (!index.has_value()) return InvalidField(sides.first, sides.second, "a parameter's name");
    SLIPSTREAM_ASSIGN_OR_RETURN(NamedValue value,
                                ParseValue(space.parameters()[*index], sides.second));
    assignments.push_back({sides.first, std::move(value)});
  }
  return space.Resolve(assignments);
}

}  // namespace slipstream::evidence
