#include "core/space/space_mapping.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/utf8.h"
#include "core/space/domain_value.h"

namespace slipstream {
namespace {

// The first few names, short enough for a message.
std::string NamesOf(const SearchSpace& space) {
  constexpr size_t kMaxShown = 8;
  constexpr size_t kMaxNameBytes = 48;
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) {
    if (names.size() == kMaxShown) break;
    names.push_back(PrintableText(parameter.name, kMaxNameBytes));
  }
  const size_t more = space.dimension() - names.size();
  const std::string shown = absl::StrJoin(names, ", ");
  return more == 0 ? shown : absl::StrCat(shown, " and ", more, " more");
}

// Whether `number` is nearer to `below` than to `above`, by ratio on a logarithmic scale.
bool IsNearerToBelow(double number, double below, double above, Scale scale) {
  if (scale == Scale::kLog) return number / below <= above / number;
  return number - below <= above - number;
}

// The number's nearest one of the domain, if that has steps and the number is in its range;
// otherwise the number itself.
double NearestIn(const Domain& domain, double number) {
  if (const auto* whole = std::get_if<IntegerDomain>(&domain)) {
    const bool is_within =
        number >= static_cast<double>(whole->min) && number <= static_cast<double>(whole->max);
    if (!is_within) return number;
    const double below = std::floor(number);
    const double above = std::ceil(number);
    return IsNearerToBelow(number, below, above, whole->scale) ? below : above;
  }
  const auto* discrete = std::get_if<DiscreteDomain>(&domain);
  if (discrete == nullptr || discrete->values.empty()) return number;
  const std::vector<double>& values = discrete->values;
  if (!(number >= values.front() && number <= values.back())) return number;
  const auto above = std::lower_bound(values.begin(), values.end(), number);
  if (above == values.begin()) return *above;
  return IsNearerToBelow(number, *(above - 1), *above, discrete->scale) ? *(above - 1) : *above;
}

// A value other than a category, as a person writes it.
NamedValue Named(const Value& value) {
  if (value.kind() == Value::Kind::kInteger) return value.integer();
  if (value.kind() == Value::Kind::kBoolean) return value.boolean();
  return value.number();
}

}  // namespace

SpaceMapping::SpaceMapping(const SearchSpace& target, std::vector<Origin> origins)
    : target_(&target), origins_(std::move(origins)) {}

SpaceMapping::Origin SpaceMapping::OriginOf(const SearchSpace& source, const SearchSpace& target,
                                            size_t parameter) {
  const Parameter& described = target.parameters()[parameter];
  Origin origin;
  origin.fallback = target.FallbackOf(parameter);
  origin.namesake = source.IndexOf(described.name);
  if (!origin.namesake.has_value()) return origin;

  const auto* words = std::get_if<CategoricalDomain>(&source.parameters()[*origin.namesake].domain);
  if (words == nullptr) return origin;
  const LevelIndex levels = LevelIndexOf(described.domain);
  for (const std::string& word : words->values) {
    origin.of_level.push_back(ValueInDomain(described.domain, levels, word));
  }
  return origin;
}

absl::StatusOr<SpaceMapping> SpaceMapping::Create(const SearchSpace& source,
                                                  const SearchSpace& target) {
  std::vector<Origin> origins;
  bool meet = false;
  for (size_t i = 0; i < target.dimension(); ++i) {
    origins.push_back(OriginOf(source, target, i));
    meet = meet || origins.back().namesake.has_value();
  }
  if (!meet) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", NamesOf(source), ", and the study has ", NamesOf(target)));
  }
  return SpaceMapping(target, std::move(origins));
}

std::optional<Value> SpaceMapping::ValueOf(size_t parameter,
                                           const Configuration& configuration) const {
  const Origin& origin = origins_[parameter];
  if (!origin.namesake.has_value()) return origin.fallback;
  const Value& value = configuration.values[*origin.namesake];
  if (!value.active()) return origin.fallback;
  if (value.kind() == Value::Kind::kLevel) {
    return origin.of_level[static_cast<size_t>(value.level())];
  }
  static const LevelIndex& no_words = *new LevelIndex();
  const Domain& domain = target_->parameters()[parameter].domain;
  const bool is_boolean = value.kind() == Value::Kind::kBoolean;
  const NamedValue exact = Named(value);
  std::optional<Value> found = ValueInDomain(domain, no_words, exact);
  if (found.has_value() || is_boolean) return found;
  const double number = std::holds_alternative<int64_t>(exact)
                            ? static_cast<double>(std::get<int64_t>(exact))
                            : std::get<double>(exact);
  return ValueInDomain(domain, no_words, NearestIn(domain, number));
}

std::optional<Configuration> SpaceMapping::Map(const Configuration& configuration) const {
  Configuration mapped;
  if (!Map(configuration, mapped)) return std::nullopt;
  return mapped;
}

std::vector<SpaceMapping::Pair> SpaceMapping::OutsideBy(const Configuration& configuration) const {
  std::vector<Pair> outside;
  Configuration mapped;
  mapped.values.assign(target_->dimension(), Value());
  for (size_t parameter : target_->ParentsFirst()) {
    if (!target_->IsActive(parameter, mapped)) continue;
    const std::optional<Value> value = ValueOf(parameter, configuration);
    if (value.has_value()) {
      mapped.values[parameter] = *value;
    } else if (origins_[parameter].namesake.has_value()) {
      outside.push_back({parameter, *origins_[parameter].namesake});
    }
  }
  return outside;
}

bool SpaceMapping::Map(const Configuration& configuration, Configuration& mapped) const {
  mapped.values.assign(target_->dimension(), Value());
  for (size_t parameter : target_->ParentsFirst()) {
    if (!target_->IsActive(parameter, mapped)) continue;
    const std::optional<Value> value = ValueOf(parameter, configuration);
    if (!value.has_value()) return false;
    mapped.values[parameter] = *value;
  }
  return true;
}

}  // namespace slipstream
