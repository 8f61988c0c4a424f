// How candidates of a target would have done on one source task.
//
// The loss of a candidate is the rank of its value within the source
// (SourceRanking::LossOf). Where the source has measured the candidate, the
// value is the mean of what it got; where the candidate was infeasible there, the
// loss is that of the worst; elsewhere the value is estimated from the three
// nearest measured points x_i, at distances d_i in the target's unit cube, by
// inverse-distance weighting (Shepard 1968):
//   sum_i y_i d_i^-2 / sum_i d_i^-2.
#ifndef SLIPSTREAM_CORE_ZERO_SHOT_SOURCE_LOSSES_H_
#define SLIPSTREAM_CORE_ZERO_SHOT_SOURCE_LOSSES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "core/space/candidate_list.h"
#include "core/space/space_mapping.h"
#include "core/space/unit_metric.h"
#include "core/study/study_view.h"
#include "core/zero_shot/source_ranking.h"

namespace slipstream {

// Configurations of the target's space, no two equal.
struct TargetCandidates {
  std::vector<Configuration> configurations;
  std::vector<double> coordinates;  // Row by row.
  ConfigurationIndex index;         // Finds a configuration's place.
};

// The loss of each candidate. Estimates look only at `estimation_points` (1 or more) of the
// measured points that have a place in the target's space, evenly spread over
// their order. Absent if there is no such point. `ranking` belongs to `source`;
// `mapping` leads from its space to `target`.
std::optional<std::vector<double>> SourceLosses(const SourceTaskData& source,
                                                const SourceRanking& ranking,
                                                const SpaceMapping& mapping,
                                                const SearchSpace& target, const UnitMetric& metric,
                                                const TargetCandidates& candidates,
                                                size_t estimation_points);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ZERO_SHOT_SOURCE_LOSSES_H_
