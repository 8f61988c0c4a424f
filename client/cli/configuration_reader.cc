#include "client/cli/configuration_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

bool Holds(const v1::Condition& condition, const v1::Configuration& configuration) {
  const auto parent = configuration.values().find(condition.parent());
  if (parent == configuration.values().end()) return false;
  return std::any_of(
      condition.values().begin(), condition.values().end(),
      [&](const v1::ParameterValue& value) { return SameValue(value, parent->second); });
}

}  // namespace

absl::StatusOr<ConfigurationReader> ConfigurationReader::Create(v1::SearchSpace space) {
  ConfigurationReader reader;
  reader.space_ = std::move(space);
  for (int i = 0; i < reader.size(); ++i) {
    const std::string& name = reader.parameter(i).name();
    if (!reader.indices_.emplace(name, i).second) {
      return absl::InvalidArgumentError(absl::StrCat("two parameters are named '", name, "'"));
    }
  }
  return reader;
}

std::optional<int> ConfigurationReader::IndexOf(const std::string& name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

std::optional<bool> ConfigurationReader::IsActive(int index,
                                                  const v1::Configuration& configuration) const {
  for (int generation = 0; generation < size(); ++generation) {
    if (!parameter(index).has_condition()) return true;
    const v1::Condition& condition = parameter(index).condition();
    const std::optional<int> parent = IndexOf(condition.parent());
    if (!parent.has_value()) return std::nullopt;
    if (!Holds(condition, configuration)) return false;
    index = *parent;
  }
  return std::nullopt;
}

std::optional<ConfigurationReader::Problem> ConfigurationReader::Read(
    const std::vector<std::optional<std::string>>& texts, v1::Configuration* configuration,
    bool use_defaults) const {
  auto& values = *configuration->mutable_values();
  for (int i = 0; i < size(); ++i) {
    if (!texts[i].has_value() || texts[i]->empty()) continue;
    auto value = ParseValue(parameter(i), *texts[i]);
    if (!value.ok()) return Problem{i, std::string(value.status().message())};
    values[parameter(i).name()] = *std::move(value);
  }
  for (int i = 0; i < size(); ++i) {
    const std::optional<bool> active = IsActive(i, *configuration);
    if (!active.has_value() || *active == values.contains(parameter(i).name())) continue;
    if (*active && use_defaults && parameter(i).has_default_value()) {
      values[parameter(i).name()] = parameter(i).default_value();
      i = -1;  // Others before this one may be active only now.
      continue;
    }
    if (*active) return Problem{i, "a value is missing, must be " + DescribeDomain(parameter(i))};
    return Problem{
        i, absl::StrCat("'", *texts[i], "' is given, but the parameter is active only where ",
                        FormatCondition(parameter(i).condition()))};
  }
  return std::nullopt;
}

}  // namespace slipstream::cli
