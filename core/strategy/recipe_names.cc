#include "core/strategy/recipe_names.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

template <typename Ingredient>
struct NamedIngredient {
  absl::string_view name;
  Ingredient value;
};

constexpr NamedIngredient<PriorKind> kPriorNames[] = {
    {"none", PriorKind::kNone},
    {"delta", PriorKind::kDelta},
    {"stacked", PriorKind::kStacked},
    {"scaml", PriorKind::kScaml},
    {"cluster", PriorKind::kCluster},
    {"envelope", PriorKind::kEnvelope},
    {"env_gp", PriorKind::kEnvGp},
    {"diff_gp", PriorKind::kDiffGp},
    {"rgpe", PriorKind::kRgpe},
    {"rm_gp", PriorKind::kRmGp},
    {"pretrained", PriorKind::kPretrained},
    {"scot", PriorKind::kScot},
    {"deviation", PriorKind::kDeviation},
};

constexpr NamedIngredient<CalibrationKind> kCalibrationNames[] = {
    {"fixed", CalibrationKind::kFixed},
    {"mle", CalibrationKind::kMaximumLikelihood},
    {"map", CalibrationKind::kMaximumPosterior},
    {"hmc", CalibrationKind::kHamiltonian},
};

// What a name on the axis of acquisitions stands for.
struct AcquisitionChoice {
  AcquisitionKind kind;
  UcbSchedule schedule = UcbSchedule::kConstant;

  friend bool operator==(const AcquisitionChoice&, const AcquisitionChoice&) = default;
};

constexpr NamedIngredient<AcquisitionChoice> kAcquisitionNames[] = {
    {"ucb", {AcquisitionKind::kUpperConfidenceBound}},
    {"ucb_theory", {AcquisitionKind::kUpperConfidenceBound, UcbSchedule::kFinite}},
    {"ucb_theory_continuous", {AcquisitionKind::kUpperConfidenceBound, UcbSchedule::kContinuous}},
    {"ucb_dimension", {AcquisitionKind::kUpperConfidenceBound, UcbSchedule::kDimension}},
    {"ei", {AcquisitionKind::kExpectedImprovement}},
    {"log_ei", {AcquisitionKind::kLogExpectedImprovement}},
    {"pi", {AcquisitionKind::kProbabilityOfImprovement}},
    {"max_value_pi", {AcquisitionKind::kMaxValueOfResults}},
    {"max_value_pi_draws", {AcquisitionKind::kMaxValueOfDraws}},
    {"thompson", {AcquisitionKind::kThompson}},
};

constexpr NamedIngredient<InitialDesign> kInitialNames[] = {
    {"quasi_random", InitialDesign::kQuasiRandom},
    {"source_portfolio", InitialDesign::kSourcePortfolio},
};

// A number of a recipe, with how it is set.
struct OptionEntry {
  absl::string_view name;
  double least;
  double most;
  bool whole;
  absl::string_view summary;
  void (*set)(Recipe& recipe, double value);
};

constexpr OptionEntry kOptions[] = {
    {"ucb_multiplier", 0, 100, false, "Deviations that the acquisition ucb adds",
     [](Recipe& recipe, double value) { recipe.ucb_multiplier = value; }},
    {"difference_amplitude", 1e-3, 10, false,
     "tau of delta, stacked and scaml, on outputs of variance 1; learnt unless given",
     [](Recipe& recipe, double value) { recipe.source_sum.amplitude = value; }},
    {"weight_rate", 1e-3, 1000, false, "Of the exponential belief in scaml's weights",
     [](Recipe& recipe, double value) { recipe.source_sum.weight_rate = value; }},
    {"most_sources", 1, 1000, true, "Sources that scaml weighs; more are screened",
     [](Recipe& recipe, double value) {
       recipe.source_sum.most_sources = static_cast<size_t>(value);
     }},
    {"clusters", 1, 100, true, "Of cluster; chosen from 2 to 6 unless given",
     [](Recipe& recipe, double value) {
       recipe.cluster.prototypes.clustering.clusters = static_cast<size_t>(value);
     }},
    {"residual_amplitude", 1e-3, 10, false, "Of a process of the target's own on top of cluster",
     [](Recipe& recipe, double value) { recipe.cluster.residual_amplitude = value; }},
    {"source_noise", 1e-6, 100, false, "Of env_gp: the variance of the noise of sources' points",
     [](Recipe& recipe, double value) { recipe.pooled.fixed_variance = value; }},
    {"drop_misleading", 0, 1, true,
     "1: envelope and env_gp leave out sources that predict worse than the results' mean",
     [](Recipe& recipe, double value) { recipe.pooled.drop_misleading = value > 0; }},
    {"pooled_points", 10, 2000, true, "Of envelope, env_gp, diff_gp, deviation: points at most",
     [](Recipe& recipe, double value) {
       const auto points = static_cast<Index>(value);
       recipe.pooled.most_points = points;
       recipe.corrected.most_points = points;
       recipe.deviation.most_points = points;
     }},
    {"inflate_noise", 0, 1, true, "0: diff_gp's corrected points keep their own noise",
     [](Recipe& recipe, double value) { recipe.corrected.inflate = value > 0; }},
    {"rgpe_loss", 0, 2, true,
     "0: rgpe's leave-one-out draws against draws, 1: against results, 2: bootstrap of means",
     [](Recipe& recipe, double value) {
       recipe.rgpe.loss = static_cast<RgpeLoss>(static_cast<int>(value));
     }},
    {"rgpe_dilution", 0, 2, true, "0: rgpe keeps all sources, 1: percentile, 2: probabilistic",
     [](Recipe& recipe, double value) {
       recipe.rgpe.dilution = static_cast<RgpeDilution>(static_cast<int>(value));
     }},
    {"rgpe_draws", 1, 100000, true, "Draws of rgpe's ranking losses",
     [](Recipe& recipe, double value) { recipe.rgpe.draws = static_cast<Index>(value); }},
    {"rm_gp_decay", 0.01, 1, false, "r of rm_gp: how slowly transfer fades at the most",
     [](Recipe& recipe, double value) { recipe.rm_gp.slowest_decay = value; }},
    {"pretraining", 0, 1, true, "0: pretrained by likelihood, 1: by empirical divergence",
     [](Recipe& recipe, double value) {
       recipe.pretrained.objective = static_cast<PretrainingObjective>(static_cast<int>(value));
     }},
    {"pretrained_mean", 0, 1, true, "0: pretrained with a constant mean, 1: with a linear one",
     [](Recipe& recipe, double value) {
       recipe.pretrained.mean = static_cast<MeanFunction>(static_cast<int>(value));
     }},
    {"printed_noise", 0, 1, true, "1: delta with the noise of DeltaBO's equation 6 as printed",
     [](Recipe& recipe, double value) {
       recipe.source_sum.noise =
           value > 0 ? DifferenceNoise::kAsPrinted : DifferenceNoise::kPerResult;
     }},
};

template <typename Ingredient>
std::string NamesIn(absl::Span<const NamedIngredient<Ingredient>> table) {
  return absl::StrJoin(
      table, ", ", [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.name); });
}

template <typename Ingredient, size_t size>
absl::Status Choose(absl::string_view field, const std::string& name,
                    const NamedIngredient<Ingredient> (&table)[size], Ingredient& value) {
  if (name.empty()) return absl::OkStatus();
  for (const NamedIngredient<Ingredient>& entry : table) {
    if (entry.name != name) continue;
    value = entry.value;
    return absl::OkStatus();
  }
  return InvalidField(
      field, name,
      absl::StrCat("one of ", NamesIn(absl::Span<const NamedIngredient<Ingredient>>(table))));
}

template <typename Ingredient, size_t size>
std::string NameOf(const NamedIngredient<Ingredient> (&table)[size], const Ingredient& value) {
  for (const NamedIngredient<Ingredient>& entry : table) {
    if (entry.value == value) return std::string(entry.name);
  }
  return "";
}

absl::Status SetOption(const std::string& name, double value, Recipe& recipe) {
  const std::string field = absl::StrCat("options[", name, "]");
  for (const OptionEntry& option : kOptions) {
    if (option.name != name) continue;
    const bool fits = value >= option.least && value <= option.most &&
                      (!option.whole || value == std::floor(value));
    if (!fits) {
      return InvalidField(
          field, FormatNumber(value),
          absl::StrCat(option.whole ? "a whole number from " : "from ", FormatNumber(option.least),
                       " to ", FormatNumber(option.most)));
    }
    option.set(recipe, value);
    return absl::OkStatus();
  }
  return InvalidField(
      field, FormatNumber(value),
      absl::StrCat("an option of ",
                   absl::StrJoin(kOptions, ", ", [](std::string* out, const OptionEntry& option) {
                     absl::StrAppend(out, option.name);
                   })));
}

}  // namespace

absl::StatusOr<Recipe> ChangedRecipe(const Recipe& base, const RecipeChange& change) {
  Recipe recipe = base;
  AcquisitionChoice acquisition{recipe.acquisition, recipe.ucb_schedule};
  SLIPSTREAM_RETURN_IF_ERROR(Choose("prior", change.prior, kPriorNames, recipe.prior));
  SLIPSTREAM_RETURN_IF_ERROR(
      Choose("calibration", change.calibration, kCalibrationNames, recipe.calibration));
  SLIPSTREAM_RETURN_IF_ERROR(
      Choose("acquisition", change.acquisition, kAcquisitionNames, acquisition));
  SLIPSTREAM_RETURN_IF_ERROR(Choose("initial", change.initial, kInitialNames, recipe.initial));
  recipe.acquisition = acquisition.kind;
  recipe.ucb_schedule = acquisition.schedule;
  for (const auto& [name, value] : change.options) {
    SLIPSTREAM_RETURN_IF_ERROR(SetOption(name, value, recipe));
  }
  return recipe;
}

RecipeChange NamesOf(const Recipe& recipe) {
  RecipeChange names;
  names.prior = NameOf(kPriorNames, recipe.prior);
  names.calibration = NameOf(kCalibrationNames, recipe.calibration);
  names.acquisition =
      NameOf(kAcquisitionNames, AcquisitionChoice{recipe.acquisition, recipe.ucb_schedule});
  names.initial = NameOf(kInitialNames, recipe.initial);
  return names;
}

std::vector<RecipeOption> RecipeOptions() {
  std::vector<RecipeOption> options;
  for (const OptionEntry& option : kOptions) {
    options.push_back({std::string(option.name), option.least, option.most, option.whole,
                       std::string(option.summary)});
  }
  return options;
}

}  // namespace slipstream
