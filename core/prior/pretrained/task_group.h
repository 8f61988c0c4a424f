// Sources as a prior of all of them is learnt from: tasks with values at the
// same points are put together, since they share one covariance matrix.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_PRIOR_PRETRAINED_TASK_GROUP_H_
#define SLIPSTREAM_CORE_PRIOR_PRETRAINED_TASK_GROUP_H_

#include <optional>
#include <vector>

#include "core/linalg/types.h"
#include "core/prior/blocks/source_model.h"

namespace slipstream {

struct TaskGroup {
  PointMatrix x;
  Matrix values;           // One row a point, one column a task.
  Vector inverse_repeats;  // The noise of each row is the noise variance times this, ...
  Vector known_noise;      // ... and this.

  Index task_count() const { return values.cols(); }
};

// At most `most` of `size` rows, ascending: one drawn from each of as many equal parts. Equal
// sizes have equal rows. (Rows at equal steps through a grid would leave a coordinate constant.)
std::vector<Index> ThinnedRows(Index size, Index most);
TaskGroup Thinned(const TaskGroup& group, Index most);

// Each source's results, at most `most` of each.
std::vector<TaskGroup> GroupedResults(const SourceModels& sources, Index most);

// The results of all sources where they all have the same points, in whatever
// order; nothing otherwise. Known noise and repeats are averaged over the tasks.
std::optional<TaskGroup> MatchingResults(const SourceModels& sources, Index most);

// The posterior means of all sources at these points; no known noise.
TaskGroup MeansAt(const SourceModels& sources, const PointMatrix& places, Index most);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRETRAINED_TASK_GROUP_H_
