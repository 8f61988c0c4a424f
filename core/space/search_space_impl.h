// The representation of a SearchSpace, only for search_space*.cc.
#ifndef SLIPSTREAM_CORE_SPACE_SEARCH_SPACE_IMPL_H_
#define SLIPSTREAM_CORE_SPACE_SEARCH_SPACE_IMPL_H_

#include <optional>
#include <vector>

#include "core/space/axis.h"
#include "core/space/candidate_list.h"
#include "core/space/condition_graph.h"
#include "core/space/domain_value.h"
#include "core/space/parameter.h"
#include "core/space/search_space.h"

namespace slipstream {

struct SearchSpace::Impl {
  // Indexes everything but conditions and candidates, which need the other indexes.
  // `valid_parameters` passed ValidateParameters.
  explicit Impl(std::vector<Parameter> valid_parameters);
  // Indexes refer to the parameters' strings.
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  absl::Status SetDefaults();
  absl::Status SetConditions();
  // `rows` must be legal.
  absl::Status SetCandidates(std::vector<Configuration> rows, bool allow_repeats);

  // All vectors are by parameter.
  std::vector<Parameter> parameters;
  NameIndex names;
  std::vector<LevelIndex> levels;
  std::vector<Axis> axes;
  std::vector<std::optional<Value>> defaults;
  std::vector<double> inactive_coordinates;
  ConditionGraph conditions;
  std::optional<CandidateList> candidates;
  size_t memory_bytes = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_SEARCH_SPACE_IMPL_H_
