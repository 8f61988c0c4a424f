#include "core/strategy/model_free_strategies.h"

#include <utility>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/space/even_configurations.h"
#include "core/strategy/one_by_one.h"

namespace slipstream {
namespace {

class ModelFreeStrategy final : public Strategy {
 public:
  ModelFreeStrategy(std::string name, decltype(&RandomSuggestion) next)
      : Strategy(std::move(name)), next_(next) {}

 private:
  // Never late: the deadline is ignored.
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    Deadline) const override {
    return SuggestOneByOne(view, count, [&](uint64_t index, CandidatePool* pool, auto) {
      return next_(*view.space, seed, index, pool);
    });
  }
  bool DoReadsHistory() const override { return false; }

  decltype(&RandomSuggestion) next_;
};

Configuration CandidateOf(const SearchSpace& space, const Suggestion& suggestion) {
  return space.candidates()[static_cast<size_t>(*suggestion.candidate)];
}

}  // namespace

Suggestion QuasiRandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                                 CandidatePool* pool) {
  Suggestion suggestion;
  suggestion.configuration = EvenConfiguration(space, seed, index);
  if (pool != nullptr) {
    suggestion.candidate = pool->TakeNearest(suggestion.configuration);
    suggestion.configuration = CandidateOf(space, suggestion);
  }
  suggestion.provenance.facts.push_back({"sobol_index", static_cast<double>(index)});
  return suggestion;
}

Suggestion RandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                            CandidatePool* pool) {
  Suggestion suggestion;
  if (pool != nullptr) {
    suggestion.candidate = pool->TakeUniform(CounterRandomUniform(seed, index, 0));
    suggestion.configuration = CandidateOf(space, suggestion);
  } else {
    std::vector<double> uniform(space.dimension());
    for (size_t i = 0; i < uniform.size(); ++i) uniform[i] = CounterRandomUniform(seed, index, i);
    suggestion.configuration = space.Sample(uniform);
  }
  suggestion.provenance.facts.push_back({"random_index", static_cast<double>(index)});
  return suggestion;
}

std::unique_ptr<Strategy> MakeQuasiRandomStrategy(std::string name) {
  return std::make_unique<ModelFreeStrategy>(std::move(name), QuasiRandomSuggestion);
}

std::unique_ptr<Strategy> MakeRandomStrategy(std::string name) {
  return std::make_unique<ModelFreeStrategy>(std::move(name), RandomSuggestion);
}

}  // namespace slipstream
