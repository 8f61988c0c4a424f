// Which parameters are active in a configuration: the conditions of a space, with
// names and categories resolved.
//
// Immutable after Create, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_CONDITION_GRAPH_H_
#define SLIPSTREAM_CORE_SPACE_CONDITION_GRAPH_H_

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/space/configuration.h"
#include "core/space/domain_value.h"
#include "core/space/parameter.h"

namespace slipstream {

using NameIndex = std::unordered_map<absl::string_view, size_t, absl::Hash<absl::string_view>>;

class ConditionGraph {
 public:
  // `names` and `levels` belong to `parameters`, whose domains are valid.
  // INVALID_ARGUMENT, an InvalidField with a path
  // "parameters[<index>].condition...".
  static absl::StatusOr<ConditionGraph> Create(const std::vector<Parameter>& parameters,
                                               const NameIndex& names,
                                               const std::vector<LevelIndex>& levels);

  std::optional<size_t> ParentOf(size_t parameter) const;

  // Whether `parameter` is active, given the value of its parent in
  // `configuration`; its ancestors' activity must have been decided.
  bool IsActive(size_t parameter, const Configuration& configuration) const;

  // All parameters, parents before children, otherwise in the space's order.
  const std::vector<size_t>& order() const { return order_; }

  size_t MemoryBytes() const;

 private:
  struct Link {
    size_t parent;
    std::vector<Value> values;  // Ascending.
  };

  std::vector<std::optional<Link>> links_;
  std::vector<size_t> order_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_CONDITION_GRAPH_H_
