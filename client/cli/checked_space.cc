#include "client/cli/checked_space.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/domain_check.h"
#include "client/cli/status_macros.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

absl::Status About(const v1::Parameter& parameter, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("parameter '", parameter.name(), "': ", std::string(status.message())));
}

absl::Status CheckDefault(const v1::Parameter& parameter) {
  if (!parameter.has_default_value()) return absl::OkStatus();
  const auto value = NormalizeValue(parameter, parameter.default_value());
  if (value.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the default ", std::string(value.status().message())));
}

std::string DescribeCondition(const v1::Condition& condition) {
  return absl::StrCat(
      condition.parent(), " is ",
      absl::StrJoin(condition.values(), " or ", [](std::string* out, const auto& value) {
        out->append(FormatValue(value));
      }));
}

// Rewrites the values of `condition` as the parent's domain has them.
absl::Status NormalizeCondition(const v1::Parameter& parent, v1::Condition* condition) {
  if (parent.has_double_domain()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its condition is on '", parent.name(),
        "', a double parameter; only categorical, boolean, discrete and integer ones can be"));
  }
  if (condition->values().empty()) {
    return absl::InvalidArgumentError("its condition names no values");
  }
  for (v1::ParameterValue& value : *condition->mutable_values()) {
    const auto normal = NormalizeValue(parent, value);
    if (!normal.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("its condition on '", parent.name(), "': ",
                                                     std::string(normal.status().message())));
    }
    value = *normal;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CheckedSpace> CheckedSpace::Create(v1::SearchSpace space) {
  CheckedSpace checked;
  checked.space_ = std::move(space);
  checked.space_.clear_candidates();
  if (checked.size() == 0) return absl::InvalidArgumentError("the space has no parameters");
  RETURN_IF_ERROR(checked.IndexNames());
  for (const v1::Parameter& parameter : checked.space_.parameters()) {
    RETURN_IF_ERROR(About(parameter, CheckDomain(parameter)));
    RETURN_IF_ERROR(About(parameter, CheckDefault(parameter)));
  }
  RETURN_IF_ERROR(checked.ResolveConditions());
  RETURN_IF_ERROR(checked.OrderByCondition());
  return checked;
}

absl::Status CheckedSpace::IndexNames() {
  for (int i = 0; i < size(); ++i) {
    const std::string& name = parameter(i).name();
    if (name.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("parameter number ", i + 1, " has no name"));
    }
    if (!indices_.emplace(name, i).second) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' is there twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckedSpace::ResolveConditions() {
  parents_.assign(size(), -1);
  for (int i = 0; i < size(); ++i) {
    v1::Parameter& child = *space_.mutable_parameters(i);
    if (!child.has_condition()) continue;
    const std::optional<int> parent = IndexOf(child.condition().parent());
    if (!parent.has_value()) {
      return About(child, absl::InvalidArgumentError(
                              absl::StrCat("its condition is on '", child.condition().parent(),
                                           "', which is no parameter of the space")));
    }
    RETURN_IF_ERROR(
        About(child, NormalizeCondition(parameter(*parent), child.mutable_condition())));
    parents_[i] = *parent;
  }
  return absl::OkStatus();
}

absl::Status CheckedSpace::OrderByCondition() {
  std::vector<bool> placed(size(), false);
  bool progress = true;
  while (progress) {
    progress = false;
    for (int i = 0; i < size(); ++i) {
      if (placed[i] || (parents_[i] >= 0 && !placed[parents_[i]])) continue;
      placed[i] = progress = true;
      order_.push_back(i);
    }
  }
  const auto left = std::find(placed.begin(), placed.end(), false);
  if (left == placed.end()) return absl::OkStatus();
  return About(parameter(static_cast<int>(left - placed.begin())),
               absl::InvalidArgumentError("its conditions lead in a circle"));
}

std::optional<int> CheckedSpace::IndexOf(const std::string& name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

bool CheckedSpace::IsActive(int index, const v1::Configuration& configuration) const {
  if (parents_[index] < 0) return true;
  const auto parent = configuration.values().find(parameter(parents_[index]).name());
  if (parent == configuration.values().end()) return false;
  const auto& values = parameter(index).condition().values();
  return std::any_of(values.begin(), values.end(), [&](const v1::ParameterValue& value) {
    return SameValue(value, parent->second);
  });
}

std::optional<CheckedSpace::Problem> CheckedSpace::Read(
    const std::vector<std::optional<std::string>>& texts, v1::Configuration* configuration) const {
  for (const int i : order_) {
    const v1::Parameter& about = parameter(i);
    const bool given = texts[i].has_value() && !texts[i]->empty();
    const bool active = IsActive(i, *configuration);
    if (!given && !active) continue;
    if (!active) {
      return Problem{
          i, absl::StrCat("'", *texts[i], "' is given, but the parameter exists only where ",
                          DescribeCondition(about.condition()))};
    }
    if (!given) return Problem{i, "a value is missing, must be " + DescribeDomain(about)};
    auto value = ParseValue(about, *texts[i]);
    if (!value.ok()) return Problem{i, std::string(value.status().message())};
    (*configuration->mutable_values())[about.name()] = *std::move(value);
  }
  return std::nullopt;
}

}  // namespace slipstream::cli
