// The measured points of one source task in the order of its own goal.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_ZERO_SHOT_SOURCE_RANKING_H_
#define SLIPSTREAM_CORE_ZERO_SHOT_SOURCE_RANKING_H_

#include <cstddef>
#include <vector>

#include "core/study/study_view.h"

namespace slipstream {

class SourceRanking {
 public:
  // Keeps no reference to `source`.
  explicit SourceRanking(const SourceTaskData& source);

  // Indexes into the source's points of those that have a final, finite value,
  // ascending.
  const std::vector<size_t>& measured() const { return measured_; }
  // The same of those that are infeasible.
  const std::vector<size_t>& infeasible() const { return infeasible_; }

  // At most `count` of measured(), best first, of equals the first.
  std::vector<size_t> Best(size_t count, const SourceTaskData& source) const;

  // The rank of `value` among the measured ones: 0 for the best, 1 for the
  // worst; equals share the mean of their ranks. measured() is not empty.
  double LossOf(double value) const;

 private:
  double CostOf(double value) const { return goal_ == Goal::kMinimize ? value : -value; }

  Goal goal_;
  std::vector<size_t> measured_;
  std::vector<size_t> infeasible_;
  std::vector<double> costs_;  // Ascending.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ZERO_SHOT_SOURCE_RANKING_H_
