// The frame of strategies that make suggestions one after the other.
#ifndef SLIPSTREAM_CORE_STRATEGY_ONE_BY_ONE_H_
#define SLIPSTREAM_CORE_STRATEGY_ONE_BY_ONE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/status.h"
#include "core/study/candidate_pool.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// `next(index, pool, made)` makes the study's suggestion number `index`, from 0 on. `pool` holds
// the candidates that are left, and is null on a space without; `next` takes the suggestion's
// candidate out of it. `made` are the call's suggestions so far, which stay where they are. At most
// `count` suggestions, fewer where the candidates run out. FAILED_PRECONDITION when there are none
// left at first.
template <typename Next>
absl::StatusOr<std::vector<Suggestion>> SuggestOneByOne(const StudyView& view, int count,
                                                        const Next& next) {
  std::optional<CandidatePool> pool;
  if (view.space->has_candidates()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(pool, CandidatePool::Create(view));
  }
  std::vector<Suggestion> made;
  made.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count && !(pool.has_value() && pool->empty()); ++i) {
    const uint64_t index = static_cast<uint64_t>(view.suggested) + static_cast<uint64_t>(i);
    made.push_back(
        next(index, pool.has_value() ? &*pool : nullptr, absl::Span<const Suggestion>(made)));
  }
  return made;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_ONE_BY_ONE_H_
