#include "core/strategy/random_strategy.h"

#include <utility>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/strategy/one_by_one.h"

namespace slipstream {
namespace {

class RandomStrategy final : public Strategy {
 public:
  explicit RandomStrategy(std::string name) : Strategy(std::move(name)) {}

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    Deadline deadline) const override;
  bool DoReadsHistory() const override { return false; }
};

Suggestion DrawConfiguration(const SearchSpace& space, uint64_t seed, uint64_t index) {
  std::vector<double> uniform(space.dimension());
  for (size_t i = 0; i < uniform.size(); ++i) uniform[i] = CounterRandomUniform(seed, index, i);
  Suggestion suggestion;
  suggestion.configuration = space.Sample(uniform);
  return suggestion;
}

Suggestion DrawCandidate(const SearchSpace& space, uint64_t seed, uint64_t index,
                         CandidatePool& pool) {
  Suggestion suggestion;
  suggestion.candidate = pool.TakeUniform(CounterRandomUniform(seed, index, 0));
  suggestion.configuration = space.candidates()[static_cast<size_t>(*suggestion.candidate)];
  return suggestion;
}

// Never late: the deadline is ignored.
absl::StatusOr<std::vector<Suggestion>> RandomStrategy::DoSuggest(const StudyView& view, int count,
                                                                  uint64_t seed, Deadline) const {
  return SuggestOneByOne(view, count, [&](uint64_t index, CandidatePool* pool, auto) {
    return RandomSuggestion(*view.space, seed, index, pool);
  });
}

}  // namespace

Suggestion RandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                            CandidatePool* pool) {
  Suggestion suggestion = pool != nullptr ? DrawCandidate(space, seed, index, *pool)
                                          : DrawConfiguration(space, seed, index);
  suggestion.provenance.facts.push_back({"random_index", static_cast<double>(index)});
  return suggestion;
}

std::unique_ptr<Strategy> MakeRandomStrategy(std::string name) {
  return std::make_unique<RandomStrategy>(std::move(name));
}

}  // namespace slipstream
