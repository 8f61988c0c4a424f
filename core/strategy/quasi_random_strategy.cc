#include "core/strategy/quasi_random_strategy.h"

#include <optional>
#include <utility>

#include "core/base/status.h"
#include "core/space/quasi_random.h"

namespace slipstream {
namespace {

class QuasiRandomStrategy final : public Strategy {
 public:
  explicit QuasiRandomStrategy(std::string name) : Strategy(std::move(name)) {}

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    absl::Time deadline) const override;
  bool DoReadsHistory() const override { return false; }
};

// Never late: the deadline has no say.
absl::StatusOr<std::vector<Suggestion>> QuasiRandomStrategy::DoSuggest(const StudyView& view,
                                                                       int count, uint64_t seed,
                                                                       absl::Time) const {
  std::optional<CandidatePool> pool;
  if (view.space->has_candidates()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(pool, CandidatePool::Create(view));
  }
  std::vector<Suggestion> suggestions;
  for (int i = 0; i < count && !(pool.has_value() && pool->empty()); ++i) {
    const uint64_t index = static_cast<uint64_t>(view.suggested) + static_cast<uint64_t>(i);
    suggestions.push_back(
        QuasiRandomSuggestion(*view.space, seed, index, pool.has_value() ? &*pool : nullptr));
  }
  return suggestions;
}

}  // namespace

Suggestion QuasiRandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                                 CandidatePool* pool) {
  Suggestion suggestion;
  suggestion.configuration = space.Sample(QuasiRandomPoint(space.dimension(), seed, index));
  if (pool != nullptr) {
    suggestion.candidate = pool->TakeNearest(suggestion.configuration);
    suggestion.configuration = space.candidates()[static_cast<size_t>(*suggestion.candidate)];
  }
  suggestion.provenance.facts.push_back({"sobol_index", static_cast<double>(index)});
  return suggestion;
}

std::unique_ptr<Strategy> MakeQuasiRandomStrategy(std::string name) {
  return std::make_unique<QuasiRandomStrategy>(std::move(name));
}

}  // namespace slipstream
