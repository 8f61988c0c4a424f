// Finds the candidate of a space that is nearest to a configuration.
#ifndef SLIPSTREAM_CORE_SPACE_NEAREST_CANDIDATE_H_
#define SLIPSTREAM_CORE_SPACE_NEAREST_CANDIDATE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/space/search_space.h"
#include "core/space/unit_metric.h"

namespace slipstream {

// Encodes the candidates at the first question and keeps their coordinates. Not thread-safe.
class NearestCandidate {
 public:
  // `space` has candidates and must outlive this.
  explicit NearestCandidate(const SearchSpace& space) : space_(&space), metric_(space) {}

  // The place in `among`, which holds indexes of candidates and is not empty, of the nearest one;
  // of equally near ones the first.
  size_t PlaceAmong(absl::Span<const int64_t> among, const Configuration& configuration);

 private:
  const SearchSpace* space_;
  UnitMetric metric_;
  std::vector<double> coordinates_;  // One candidate after the other.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_NEAREST_CANDIDATE_H_
