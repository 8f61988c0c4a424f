// One call's work of a strategy with a model: suggestions one after the other, each known to the
// next.
#ifndef SLIPSTREAM_CORE_STRATEGY_MODEL_RUN_H_
#define SLIPSTREAM_CORE_STRATEGY_MODEL_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "core/strategy/strategy.h"
#include "core/strategy/study_models.h"
#include "core/study/candidate_pool.h"

namespace slipstream {

// `pool` is given on a space with candidates. All that the view and `parts` refer to must outlive
// the run.
std::unique_ptr<SuggestionRun> MakeModelRun(const StudyView& view, const StrategyParts& parts,
                                            uint64_t seed, std::optional<CandidatePool> pool);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_MODEL_RUN_H_
