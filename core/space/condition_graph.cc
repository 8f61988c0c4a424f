#include "core/space/condition_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/space/parameter_validation.h"

namespace slipstream {
namespace {

// Orders the values of one domain.
bool IsBelow(const Value& a, const Value& b) {
  if (a.kind() == Value::Kind::kDouble) return a.number() < b.number();
  return a.integer() < b.integer();
}

absl::Status InvalidParent(const std::vector<Parameter>& parameters, size_t index,
                           absl::string_view bound) {
  const Parameter& parameter = parameters[index];
  return InvalidParameter(index, parameter.name, "condition.parent",
                          Quoted(parameter.condition->parent), bound);
}

absl::StatusOr<size_t> FindParent(const std::vector<Parameter>& parameters, size_t index,
                                  const NameIndex& names) {
  const auto parent = names.find(parameters[index].condition->parent);
  if (parent == names.end()) {
    return InvalidParent(parameters, index, "the name of a parameter of the same space");
  }
  if (parent->second == index) return InvalidParent(parameters, index, "another parameter");
  if (std::holds_alternative<DoubleDomain>(parameters[parent->second].domain)) {
    return InvalidParent(parameters, index,
                         "a categorical, boolean, discrete or integer parameter");
  }
  return parent->second;
}

absl::StatusOr<std::vector<Value>> FindValues(const std::vector<Parameter>& parameters,
                                              size_t index, size_t parent,
                                              const LevelIndex& levels) {
  const Parameter& parameter = parameters[index];
  const std::vector<NamedValue>& named = parameter.condition->values;
  if (named.empty()) {
    return InvalidParameter(index, parameter.name, "condition.values", "empty",
                            "at least one value of the parent");
  }
  std::vector<Value> values;
  values.reserve(named.size());
  for (size_t i = 0; i < named.size(); ++i) {
    const auto value = ValueInDomain(parameters[parent].domain, levels, named[i]);
    if (!value.has_value()) {
      return InvalidParameter(index, parameter.name, absl::StrCat("condition.values[", i, "]"),
                              TextOf(named[i]),
                              absl::StrCat(BoundOf(parameters[parent].domain), ", as its parent ",
                                           Quoted(parameters[parent].name), ","));
    }
    values.push_back(*value);
  }
  std::sort(values.begin(), values.end(), IsBelow);
  return values;
}

}  // namespace

absl::StatusOr<ConditionGraph> ConditionGraph::Create(const std::vector<Parameter>& parameters,
                                                      const NameIndex& names,
                                                      const std::vector<LevelIndex>& levels) {
  ConditionGraph graph;
  graph.links_.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].condition.has_value()) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const size_t parent, FindParent(parameters, i, names));
    SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Value> values,
                                FindValues(parameters, i, parent, levels[parent]));
    graph.links_[i] = Link{parent, std::move(values)};
  }

  std::vector<size_t> depths(parameters.size(), 0);
  for (size_t i = 0; i < parameters.size(); ++i) {
    for (size_t at = i; graph.links_[at].has_value(); at = graph.links_[at]->parent) {
      if (++depths[i] > parameters.size()) {
        return InvalidParent(parameters, i,
                             "a parameter whose own conditions do not lead back to it,");
      }
    }
  }
  graph.order_.resize(parameters.size());
  std::iota(graph.order_.begin(), graph.order_.end(), size_t{0});
  std::stable_sort(graph.order_.begin(), graph.order_.end(),
                   [&depths](size_t a, size_t b) { return depths[a] < depths[b]; });
  return graph;
}

std::optional<size_t> ConditionGraph::ParentOf(size_t parameter) const {
  if (!links_[parameter].has_value()) return std::nullopt;
  return links_[parameter]->parent;
}

bool ConditionGraph::IsActive(size_t parameter, const Configuration& configuration) const {
  const std::optional<Link>& link = links_[parameter];
  if (!link.has_value()) return true;
  const Value& parent = configuration.values[link->parent];
  return parent.active() &&
         std::binary_search(link->values.begin(), link->values.end(), parent, IsBelow);
}

size_t ConditionGraph::MemoryBytes() const {
  size_t bytes = links_.capacity() * sizeof(links_[0]) + order_.capacity() * sizeof(size_t);
  for (const std::optional<Link>& link : links_) {
    if (link.has_value()) bytes += link->values.capacity() * sizeof(Value);
  }
  return bytes;
}

}  // namespace slipstream
