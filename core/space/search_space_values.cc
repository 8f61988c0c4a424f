// Resolving and naming configurations as people write them.

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/space/search_space.h"
#include "core/space/search_space_impl.h"

namespace slipstream {
namespace {

std::string FieldOf(absl::string_view name) {
  return absl::StrCat("values[", PrintableText(name, SpaceLimits::kMaxNameBytes), "]");
}

// What was written for each parameter; null where nothing was.
using Written = std::vector<const NamedValue*>;

absl::StatusOr<Written> ByParameter(const SearchSpace& space,
                                    absl::Span<const Assignment> assignments) {
  Written written(space.dimension(), nullptr);
  for (const Assignment& assignment : assignments) {
    const std::optional<size_t> parameter = space.IndexOf(assignment.name);
    if (!parameter.has_value()) {
      return InvalidField(FieldOf(assignment.name), TextOf(assignment.value),
                          "left out, as the space has no parameter of that name");
    }
    if (written[*parameter] != nullptr) {
      return InvalidField(
          FieldOf(assignment.name),
          absl::StrCat(TextOf(*written[*parameter]), " and ", TextOf(assignment.value)),
          "given once");
    }
    written[*parameter] = &assignment.value;
  }
  return written;
}

absl::Status Missing(const Parameter& parameter) {
  return InvalidField(FieldOf(parameter.name), "missing", BoundOf(parameter.domain));
}

absl::Status NotActive(const Parameter& parameter, const NamedValue& value) {
  return InvalidField(FieldOf(parameter.name), TextOf(value),
                      absl::StrCat("left out, as the condition on its parent \"",
                                   parameter.condition->parent, "\" does not hold"));
}

}  // namespace

absl::StatusOr<Configuration> SearchSpace::Resolve(
    absl::Span<const Assignment> assignments) const {
  SLIPSTREAM_ASSIGN_OR_RETURN(const Written written, ByParameter(*this, assignments));
  Configuration configuration;
  configuration.values.resize(dimension());
  for (size_t parameter : ParentsFirst()) {
    const NamedValue* value = written[parameter];
    if (!IsActive(parameter, configuration)) {
      if (value != nullptr) return NotActive(parameters()[parameter], *value);
      continue;
    }
    if (value == nullptr) return Missing(parameters()[parameter]);
    SLIPSTREAM_ASSIGN_OR_RETURN(configuration.values[parameter], ResolveValue(parameter, *value));
  }
  return configuration;
}

absl::StatusOr<Value> SearchSpace::ResolveValue(size_t parameter, const NamedValue& value) const {
  const Parameter& described = parameters()[parameter];
  const std::optional<Value> resolved =
      ValueInDomain(described.domain, impl_->levels[parameter], value);
  if (resolved.has_value()) return *resolved;
  return InvalidField(FieldOf(described.name), TextOf(value), BoundOf(described.domain));
}

std::vector<Assignment> SearchSpace::Name(const Configuration& configuration) const {
  std::vector<Assignment> assignments;
  for (size_t i = 0; i < dimension(); ++i) {
    const Value& value = configuration.values[i];
    if (value.active()) assignments.push_back({parameters()[i].name, NameValue(i, value)});
  }
  return assignments;
}

NamedValue SearchSpace::NameValue(size_t parameter, const Value& value) const {
  return NameInDomain(parameters()[parameter].domain, value);
}

Value SearchSpace::FallbackOf(size_t parameter) const {
  if (impl_->defaults[parameter].has_value()) return *impl_->defaults[parameter];
  return impl_->axes[parameter].ValueAt(IsUnordered(parameter) ? 0.0 : 0.5);
}

}  // namespace slipstream
