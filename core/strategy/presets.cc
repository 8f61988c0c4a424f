#include "core/strategy/presets.h"

#include "absl/strings/str_join.h"
#include "core/strategy/quasi_random_strategy.h"
#include "core/strategy/random_strategy.h"
#include "core/strategy/source_portfolio_strategy.h"

namespace slipstream {
namespace {

template <std::unique_ptr<Strategy> (*Make)(std::string), const char* name>
std::unique_ptr<Strategy> MakeNamed() {
  return Make(name);
}

constexpr char kSourcePortfolio[] = "source_portfolio";
constexpr char kQuasiRandom[] = "quasi_random";
constexpr char kRandom[] = "random";

constexpr Preset kPresets[] = {
    {kSourcePortfolio,
     "The configurations that served the source tasks best, one after the other, then quasi_random",
     MakeNamed<MakeSourcePortfolioStrategy, kSourcePortfolio>},
    {kQuasiRandom, "Fills the space evenly with a scrambled Sobol sequence; looks at no results",
     MakeNamed<MakeQuasiRandomStrategy, kQuasiRandom>},
    {kRandom, "Uniformly random configurations; looks at no results",
     MakeNamed<MakeRandomStrategy, kRandom>},
};

}  // namespace

absl::Span<const Preset> Presets() { return kPresets; }

const Preset* FindPreset(absl::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::string PresetNames() {
  return absl::StrJoin(Presets(), ", ", [](std::string* out, const Preset& preset) {
    out->append(preset.name.data(), preset.name.size());
  });
}

}  // namespace slipstream
