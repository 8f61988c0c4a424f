// Creating a space and reading its properties.
#include "core/space/search_space.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/space/parameter_validation.h"
#include "core/space/search_space_impl.h"

namespace slipstream {
namespace {

size_t StringBytes(const NamedValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  return word == nullptr ? 0 : word->capacity();
}

// Heap bytes of `parameter`, plus about as much again for its index and axis.
size_t MemoryBytesOf(const Parameter& parameter) {
  size_t bytes = sizeof(Parameter) + sizeof(Axis) + parameter.name.capacity();
  if (const auto* discrete = std::get_if<DiscreteDomain>(&parameter.domain)) {
    bytes += 3 * discrete->values.capacity() * sizeof(double);
  }
  if (const auto* words = std::get_if<CategoricalDomain>(&parameter.domain)) {
    for (const std::string& word : words->values) {
      bytes += sizeof(std::string) + word.capacity() + 2 * sizeof(LevelIndex::value_type);
    }
  }
  if (parameter.default_value.has_value()) bytes += StringBytes(*parameter.default_value);
  if (parameter.condition.has_value()) {
    for (const NamedValue& value : parameter.condition->values) {
      bytes += sizeof(NamedValue) + StringBytes(value);
    }
  }
  return bytes;
}

std::string RowField(size_t row) { return absl::StrCat("candidates.configurations[", row, "]"); }

// The rows of `table` as configurations of `space`, which has none so far.
absl::StatusOr<std::vector<Configuration>> ResolveRows(const SearchSpace& space,
                                                       const SearchSpace::CandidateTable& table) {
  if (table.rows.empty() || table.rows.size() > SpaceLimits::kMaxCandidates) {
    return InvalidField(
        "candidates.configurations", absl::StrCat(table.rows.size(), " configurations"),
        absl::StrCat("1 to ", SpaceLimits::kMaxCandidates, " configurations"));
  }
  std::vector<Configuration> rows;
  rows.reserve(table.rows.size());
  for (const std::vector<Assignment>& assignments : table.rows) {
    absl::StatusOr<Configuration> row = space.Resolve(assignments);
    if (!row.ok()) return WithFieldPrefix(row.status(), absl::StrCat(RowField(rows.size()), "."));
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace

SearchSpace::Impl::Impl(std::vector<Parameter> valid_parameters)
    : parameters(std::move(valid_parameters)),
      defaults(parameters.size()),
      inactive_coordinates(parameters.size(), 0.5) {
  memory_bytes = sizeof(Impl);
  for (size_t i = 0; i < parameters.size(); ++i) {
    names.emplace(parameters[i].name, i);
    levels.push_back(LevelIndexOf(parameters[i].domain));
    axes.emplace_back(parameters[i].domain);
    memory_bytes += MemoryBytesOf(parameters[i]);
  }
}

absl::Status SearchSpace::Impl::SetDefaults() {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::optional<NamedValue>& named = parameters[i].default_value;
    if (!named.has_value()) continue;
    defaults[i] = ValueInDomain(parameters[i].domain, levels[i], *named);
    if (!defaults[i].has_value()) {
      return InvalidParameter(i, parameters[i].name, "default_value", TextOf(*named),
                              BoundOf(parameters[i].domain));
    }
    inactive_coordinates[i] = axes[i].CoordinateOf(*defaults[i]);
  }
  return absl::OkStatus();
}

absl::Status SearchSpace::Impl::SetConditions() {
  SLIPSTREAM_ASSIGN_OR_RETURN(conditions, ConditionGraph::Create(parameters, names, levels));
  memory_bytes += conditions.MemoryBytes();
  return absl::OkStatus();
}

absl::Status SearchSpace::Impl::SetCandidates(std::vector<Configuration> rows,
                                              bool allow_repeats) {
  candidates.emplace(std::move(rows), allow_repeats);
  if (const std::optional<size_t> repeat = candidates->FirstRepeat()) {
    const int64_t first = *candidates->IndexOf(candidates->rows()[*repeat]);
    return InvalidField(RowField(*repeat), absl::StrCat("equal to configurations[", first, "]"),
                        "different from all before it");
  }
  memory_bytes += candidates->MemoryBytes();
  return absl::OkStatus();
}

absl::StatusOr<SearchSpace> SearchSpace::Create(std::vector<Parameter> parameters,
                                                std::optional<CandidateTable> candidates) {
  SLIPSTREAM_RETURN_IF_ERROR(ValidateParameters(parameters));
  auto impl = std::make_unique<Impl>(std::move(parameters));
  SLIPSTREAM_RETURN_IF_ERROR(impl->SetDefaults());
  SLIPSTREAM_RETURN_IF_ERROR(impl->SetConditions());
  Impl* const own = impl.get();
  SearchSpace space(std::move(impl));
  if (candidates.has_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Configuration> rows, ResolveRows(space, *candidates));
    SLIPSTREAM_RETURN_IF_ERROR(own->SetCandidates(std::move(rows), candidates->allow_repeats));
  }
  return space;
}

SearchSpace::SearchSpace(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;
SearchSpace::~SearchSpace() = default;

const std::vector<Parameter>& SearchSpace::parameters() const { return impl_->parameters; }

std::optional<size_t> SearchSpace::IndexOf(absl::string_view name) const {
  const auto found = impl_->names.find(name);
  if (found == impl_->names.end()) return std::nullopt;
  return found->second;
}

std::optional<size_t> SearchSpace::ParentOf(size_t parameter) const {
  return impl_->conditions.ParentOf(parameter);
}

const std::vector<size_t>& SearchSpace::ParentsFirst() const { return impl_->conditions.order(); }

bool SearchSpace::IsActive(size_t parameter, const Configuration& configuration) const {
  return impl_->conditions.IsActive(parameter, configuration);
}

bool SearchSpace::IsUnordered(size_t parameter) const { return impl_->axes[parameter].unordered(); }

bool SearchSpace::has_candidates() const { return impl_->candidates.has_value(); }

bool SearchSpace::allow_repeats() const {
  return has_candidates() && impl_->candidates->allow_repeats();
}

const std::vector<Configuration>& SearchSpace::candidates() const {
  static const std::vector<Configuration>& none = *new std::vector<Configuration>();
  return has_candidates() ? impl_->candidates->rows() : none;
}

std::optional<int64_t> SearchSpace::CandidateIndex(const Configuration& configuration) const {
  if (!has_candidates()) return std::nullopt;
  return impl_->candidates->IndexOf(configuration);
}

size_t SearchSpace::MemoryBytes() const { return sizeof(SearchSpace) + impl_->memory_bytes; }

}  // namespace slipstream
