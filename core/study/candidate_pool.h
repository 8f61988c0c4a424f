// The candidates of a space that a study may still be given.
//
// Not thread-safe; lives for one call of Suggest.
#ifndef SLIPSTREAM_CORE_STUDY_CANDIDATE_POOL_H_
#define SLIPSTREAM_CORE_STUDY_CANDIDATE_POOL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/space/candidate_list.h"
#include "core/space/nearest_candidate.h"
#include "core/study/study_view.h"

namespace slipstream {

class CandidatePool {
 public:
  // A pool of the candidates of `view.space` that no trial has tried, or of all if
  // the space allows repeats. The space must have candidates and outlive the pool.
  // FAILED_PRECONDITION when none are left.
  static absl::StatusOr<CandidatePool> Create(const StudyView& view);

  bool empty() const { return left_.empty(); }
  // The candidates that are left, ascending.
  const std::vector<int64_t>& left() const { return left_; }

  // Takes out the candidates with these configurations, unless there are no others.
  void LeaveOut(const ConfigurationIndex& configurations);

  // Each takes a candidate out of the pool, unless the space allows repeats,
  // and returns its index. The pool must not be empty.
  // The one at `uniform`, in [0, 1), of what is left.
  int64_t TakeUniform(double uniform);
  // The one nearest to `configuration`, the first of equally near ones.
  int64_t TakeNearest(const Configuration& configuration);

  // False if `candidate` is not in the pool.
  bool Take(int64_t candidate);

 private:
  CandidatePool(const SearchSpace& space, std::vector<int64_t> left);
  int64_t TakeAt(std::vector<int64_t>::iterator place);

  const SearchSpace* space_;
  NearestCandidate nearest_;
  std::vector<int64_t> left_;  // Ascending.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STUDY_CANDIDATE_POOL_H_
