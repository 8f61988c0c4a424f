// Uniformly random configurations.
//
// Suggestion number i of a study is a function of the seed and i alone (and, on
// a space with candidates, of which of them are left).
#ifndef SLIPSTREAM_CORE_STRATEGY_RANDOM_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_RANDOM_STRATEGY_H_

#include <memory>
#include <string>

#include "core/strategy/strategy.h"

namespace slipstream {

// `name` is what provenance calls it.
std::unique_ptr<Strategy> MakeRandomStrategy(std::string name);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_RANDOM_STRATEGY_H_
