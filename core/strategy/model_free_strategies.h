// Strategies that look at no results. Suggestion number i of a study depends on the seed and i
// alone and, on a space with candidates, on which of them are left.
#ifndef SLIPSTREAM_CORE_STRATEGY_MODEL_FREE_STRATEGIES_H_
#define SLIPSTREAM_CORE_STRATEGY_MODEL_FREE_STRATEGIES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/strategy/strategy.h"
#include "core/study/candidate_pool.h"

namespace slipstream {

// In both, `name` is what provenance calls the strategy.

// Even filling of the space by a scrambled Sobol sequence, whose categories and branches are spread
// (core/space/even_configurations.h).
std::unique_ptr<Strategy> MakeQuasiRandomStrategy(std::string name);
// Uniformly random configurations.
std::unique_ptr<Strategy> MakeRandomStrategy(std::string name);

// Their suggestions, for strategies that sometimes take one. `pool` is null on a space without
// candidates, and not empty.

// Point `index` of the sequence of `seed`, or the candidate that is left nearest to it, with the
// fact "sobol_index".
Suggestion QuasiRandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                                 CandidatePool* pool);
// Draw `index` of `seed`, with the fact "random_index".
Suggestion RandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                            CandidatePool* pool);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_MODEL_FREE_STRATEGIES_H_
