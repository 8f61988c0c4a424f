// The priors that recipes name.
#ifndef SLIPSTREAM_CORE_STRATEGY_PRIORS_H_
#define SLIPSTREAM_CORE_STRATEGY_PRIORS_H_

#include <memory>

#include "core/prior/prior.h"
#include "core/strategy/recipe.h"

namespace slipstream {

// Null for kNone.
std::unique_ptr<Prior> MakePrior(const Recipe& recipe);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_PRIORS_H_
