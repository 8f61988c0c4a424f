// The zero-shot design of a study: the few configurations that its source
// tasks recommend to try first, in order.
//
// A pure function of the study's space and goal and its sources, apart from the
// deadline; thread-safe.
#ifndef SLIPSTREAM_CORE_ZERO_SHOT_ZERO_SHOT_DESIGN_H_
#define SLIPSTREAM_CORE_ZERO_SHOT_ZERO_SHOT_DESIGN_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/deadline.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

struct DesignEntry {
  Configuration configuration;
  std::optional<int64_t> candidate;  // Index, on a space with candidates.
  // Each source's share in how much this entry lowers the mean loss, heaviest
  // first; those without one left out.
  std::vector<SourceWeight> sources;
};

// Why sources are not used.
struct LeftOutSources {
  size_t opposite_goal = 0;     // Its goal is not the study's.
  size_t nothing_measured = 0;  // No point has a final value.
  size_t no_common_parameter = 0;
  size_t nothing_mapped = 0;  // No measured point has a place in the study's space.

  size_t total() const {
    return opposite_goal + nothing_measured + no_common_parameter + nothing_mapped;
  }
};

struct ZeroShotDesign {
  std::vector<DesignEntry> entries;
  size_t sources_used = 0;
  LeftOutSources left_out;
};

// Absent if `deadline` passed before it was done.
std::optional<ZeroShotDesign> BuildZeroShotDesign(const StudyView& view, Deadline deadline);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ZERO_SHOT_ZERO_SHOT_DESIGN_H_
