// The priors that recipes name.
#ifndef SLIPSTREAM_CORE_STRATEGY_PRIORS_H_
#define SLIPSTREAM_CORE_STRATEGY_PRIORS_H_

#include <memory>

#include "core/prior/prior.h"
#include "core/recipe/recipe.h"

namespace slipstream {

// Null for kNone. Recipes that agree in what concerns the prior share one while
// somebody has it, so that what it keeps about sources serves all their studies.
// Thread-safe.
std::shared_ptr<const Prior> SharedPrior(const Recipe& recipe);

// How the recipe's prior wants its sources fitted; null for kNone.
const SourceFitOptions* SourceFitOf(const Recipe& recipe);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_PRIORS_H_
