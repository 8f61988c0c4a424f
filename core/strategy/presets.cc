#include "core/strategy/presets.h"

#include "absl/strings/str_join.h"
#include "core/strategy/model_strategy.h"
#include "core/strategy/quasi_random_strategy.h"
#include "core/strategy/random_strategy.h"
#include "core/strategy/source_portfolio_strategy.h"

namespace slipstream {
namespace {

template <std::unique_ptr<Strategy> (*Make)(std::string), const char* name>
std::unique_ptr<Strategy> MakeNamed() {
  return Make(name);
}

template <const char* name, CalibrationKind calibration, AcquisitionKind acquisition,
          InitialDesign initial = InitialDesign::kQuasiRandom>
std::unique_ptr<Strategy> MakeRecipe() {
  Recipe recipe;
  recipe.initial = initial;
  recipe.calibration = calibration;
  recipe.acquisition = acquisition;
  return MakeModelStrategy(name, recipe);
}

constexpr char kGpLogEi[] = "gp_log_ei";
constexpr char kPortfolioGp[] = "portfolio_gp";
constexpr char kGpHmc[] = "gp_hmc";
constexpr char kGpUcb[] = "gp_ucb";
constexpr char kGpEi[] = "gp_ei";
constexpr char kGpPi[] = "gp_pi";
constexpr char kGpTs[] = "gp_ts";
constexpr char kSourcePortfolio[] = "source_portfolio";
constexpr char kQuasiRandom[] = "quasi_random";
constexpr char kRandom[] = "random";

constexpr auto kMap = CalibrationKind::kMaximumPosterior;

constexpr Preset kPresets[] = {
    {kGpLogEi,
     "Gaussian process, most probable hyperparameters, log expected improvement; the default",
     MakeRecipe<kGpLogEi, kMap, AcquisitionKind::kLogExpectedImprovement>},
    {kPortfolioGp,
     "The first entries of source_portfolio, then gp_log_ei; the default with source tasks",
     MakeRecipe<kPortfolioGp, kMap, AcquisitionKind::kLogExpectedImprovement,
                InitialDesign::kSourcePortfolio>},
    {kGpHmc, "Gaussian process, hyperparameters sampled and averaged over, log expected improvement",
     MakeRecipe<kGpHmc, CalibrationKind::kHamiltonian, AcquisitionKind::kLogExpectedImprovement>},
    {kGpUcb, "Gaussian process, upper confidence bound of 1.8 deviations",
     MakeRecipe<kGpUcb, kMap, AcquisitionKind::kUpperConfidenceBound>},
    {kGpEi, "Gaussian process, expected improvement",
     MakeRecipe<kGpEi, kMap, AcquisitionKind::kExpectedImprovement>},
    {kGpPi, "Gaussian process, probability of improvement",
     MakeRecipe<kGpPi, kMap, AcquisitionKind::kProbabilityOfImprovement>},
    {kGpTs, "Gaussian process, the maximum of one draw (Thompson sampling)",
     MakeRecipe<kGpTs, kMap, AcquisitionKind::kThompson>},
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
