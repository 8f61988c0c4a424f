// Uniformly random configurations.
//
// Suggestion number i of a study is a function of the seed and i alone (and, on
// a space with candidates, of which of them are left).
#ifndef SLIPSTREAM_CORE_STRATEGY_RANDOM_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_RANDOM_STRATEGY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/strategy/strategy.h"
#include "core/study/candidate_pool.h"

namespace slipstream {

// `name` is what provenance calls it.
std::unique_ptr<Strategy> MakeRandomStrategy(std::string name);

// Draw `index` of `seed` as a suggestion with the fact "random_index", for
// strategies that sometimes take one. `pool` is null on a space without
// candidates, and not empty.
Suggestion RandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                            CandidatePool* pool);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_RANDOM_STRATEGY_H_
