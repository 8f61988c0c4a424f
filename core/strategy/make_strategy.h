// Strategies by the names of their presets.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Strategy> strategy,
//                               MakeStrategy(*FindPreset("scaml"), {.acquisition = "log_ei"}));
#ifndef SLIPSTREAM_CORE_STRATEGY_MAKE_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_MAKE_STRATEGY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/recipe/presets.h"
#include "core/strategy/strategy.h"

namespace slipstream {

std::unique_ptr<Strategy> MakeStrategy(const Preset& preset);

// The same with another recipe than the preset's own. Errors as Preset::With.
absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(const Preset& preset,
                                                       const RecipeChange& change);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_MAKE_STRATEGY_H_
