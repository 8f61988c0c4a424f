// Even filling of the space by a scrambled Sobol sequence, whose categories and branches are spread
// (core/space/even_configurations.h).
//
// Suggestion number i of a study is point i of its seed's sequence; on a space
// with candidates, the one nearest to that point of those that are left.
#ifndef SLIPSTREAM_CORE_STRATEGY_QUASI_RANDOM_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_QUASI_RANDOM_STRATEGY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/strategy/strategy.h"
#include "core/study/candidate_pool.h"

namespace slipstream {

// `name` is what provenance calls it.
std::unique_ptr<Strategy> MakeQuasiRandomStrategy(std::string name);

// Point `index` of the sequence of `seed` as a suggestion with the fact
// "sobol_index", for strategies that fall back on it. `pool` is null on a space
// without candidates, and not empty.
Suggestion QuasiRandomSuggestion(const SearchSpace& space, uint64_t seed, uint64_t index,
                                 CandidatePool* pool);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_QUASI_RANDOM_STRATEGY_H_
