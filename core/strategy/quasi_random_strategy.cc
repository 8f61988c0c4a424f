#include "core/strategy/quasi_random_strategy.h"

#include <utility>

#include "core/base/deadline.h"
#include "core/space/even_configurations.h"
#include "core/strategy/one_by_one.h"

namespace slipstream {
namespace {

class QuasiRandomStrategy final : public Strategy {
 public:
  explicit QuasiRandomStrategy(std::string name) : Strategy(std::move(name)) {}

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    Deadline deadline) const override;
  bool DoReadsHistory() const override { return false; }
};

// Never late: the deadline is ignored.
absl::StatusOr<std::vector<Suggestion>> QuasiRandomStrategy::DoSuggest(const StudyView& view,
                                                                       int count, uint64_t seed,
                                                                       Deadline) const {
  return SuggestOneByOne(view, count, [&](uint64_t index, CandidatePool* pool, auto) {
    return QuasiRandomSuggestion(*view.space, seed, index, pool);
  });
}

}  // namespace

Suggestion QuasiRandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                                 CandidatePool* pool) {
  Suggestion suggestion;
  suggestion.configuration = EvenConfiguration(space, seed, index);
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
