#include "core/strategy/strategy.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {

absl::StatusOr<std::vector<Suggestion>> Strategy::Suggest(const StudyView& view, int count,
                                                          uint64_t seed,
                                                          absl::Time deadline) const {
  if (view.space == nullptr) return InvalidField("space", "missing", "given");
  if (count < 1) return InvalidField("count", absl::StrCat(count), "1 or more");
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Suggestion> suggestions,
                              DoSuggest(view, count, seed, deadline));
  for (Suggestion& suggestion : suggestions) {
    suggestion.provenance.preset = name_;
    suggestion.provenance.seed = seed;
    suggestion.provenance.last_trial_seen = view.last_trial;
  }
  return suggestions;
}

absl::Status Strategy::Prepare(const StudyView& view) const {
  if (view.space == nullptr) return InvalidField("space", "missing", "given");
  return DoPrepare(view);
}

bool Strategy::ReadsHistory(const SearchSpace& space) const {
  return space.has_candidates() || DoReadsHistory();
}

}  // namespace slipstream
