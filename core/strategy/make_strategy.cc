#include "core/strategy/make_strategy.h"

#include <cassert>
#include <string>

#include "core/base/status.h"
#include "core/strategy/model_free_strategies.h"
#include "core/strategy/model_strategy.h"
#include "core/strategy/zero_shot_strategy.h"

namespace slipstream {
namespace {

// The presets that need no model.
struct PlainStrategy {
  absl::string_view name;
  std::unique_ptr<Strategy> (*make)(std::string name);
};

constexpr PlainStrategy kPlainStrategies[] = {
    {"source_portfolio", MakeZeroShotStrategy},
    {"quasi_random", MakeQuasiRandomStrategy},
    {"random", MakeRandomStrategy},
};

}  // namespace

std::unique_ptr<Strategy> MakeStrategy(const Preset& preset) {
  for (const PlainStrategy& plain : kPlainStrategies) {
    if (plain.name == preset.name) return plain.make(std::string(preset.name));
  }
  assert(preset.has_model);
  return MakeModelStrategy(std::string(preset.name), preset.recipe);
}

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(const Preset& preset,
                                                       const RecipeChange& change) {
  if (change.empty()) return MakeStrategy(preset);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Recipe recipe, preset.With(change));
  return MakeModelStrategy(std::string(preset.name), recipe);
}

}  // namespace slipstream
