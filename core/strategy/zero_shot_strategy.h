// Suggests the configurations that served the source tasks best, one after the
// other, and then fills the space evenly.
//
// A design entry that a trial has tried already, whatever became of it, is
// skipped, except on a candidate space that allows repeats: there suggestion
// number i of a study is entry i. Once the design is used up, suggestion
// number i is point i - (number of entries) of the study's Sobol sequence.
#ifndef SLIPSTREAM_CORE_STRATEGY_ZERO_SHOT_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_ZERO_SHOT_STRATEGY_H_

#include <memory>
#include <string>

#include "core/strategy/strategy.h"

namespace slipstream {

// `name` is what provenance calls it.
std::unique_ptr<Strategy> MakeZeroShotStrategy(std::string name);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_ZERO_SHOT_STRATEGY_H_
