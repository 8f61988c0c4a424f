#include "core/recipe/recipe_names.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
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

constexpr NamedIngredient<LengthscaleRule> kLengthscaleRuleNames[] = {
    {"expanding", LengthscaleRule::kExpanding},
    {"shrinking", LengthscaleRule::kShrinking},
};

constexpr absl::string_view kConsistent = "consistent";

constexpr NamedIngredient<ExplorationKind> kExplorationNames[] = {
    {"none", ExplorationKind::kNone},           {"exp3", ExplorationKind::kExp3},
    {"portfolio", ExplorationKind::kPortfolio}, {"hedge", ExplorationKind::kHedge},
    {"alternate", ExplorationKind::kAlternate}, {"random", ExplorationKind::kRandom},
    {"turns", ExplorationKind::kTurns},
};

constexpr NamedIngredient<InitialDesign> kInitialNames[] = {
    {"quasi_random", InitialDesign::kQuasiRandom},
    {"source_portfolio", InitialDesign::kZeroShot},
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
    {"smoothness", 0, 3, true,
     "The kernel of the study's own process: 0 Matern 1/2, 1 Matern 3/2, 2 Matern 5/2, 3 squared "
     "exponential",
     [](Recipe& recipe, double value) {
       recipe.smoothness = static_cast<Smoothness>(static_cast<int>(value));
     }},
    {"output_warp", 0, 2, true,
     "Results are 0: standardised, 1: made more normal by a power first, 2: replaced by ranks, "
     "for tails so heavy that only order counts",
     [](Recipe& recipe, double value) {
       recipe.warp = static_cast<OutputWarp>(static_cast<int>(value));
     }},
    {"input_warp", 0, 1, true,
     "1: each number's scale is bent by a curve that is learnt; only with the prior none",
     [](Recipe& recipe, double value) { recipe.warps_inputs = value > 0; }},
    {"expanding_estimate", 0, 1, true,
     "0: expanding by the bound on the regret, 1: by looking one step ahead",
     [](Recipe& recipe, double value) {
       recipe.expanding.estimate = static_cast<RegretEstimate>(static_cast<int>(value));
     }},
    {"expanding_coupling", 0, 2, true,
     "0: expanding divides the calibration's lengthscales, 1: limits them, 2: replaces them",
     [](Recipe& recipe, double value) {
       recipe.expanding.coupling = static_cast<LengthscaleCoupling>(static_cast<int>(value));
     }},
    {"expanding_theory", 0, 1, true,
     "1: expanding with the multiplier of A-GP-UCB's lemma 1 instead of ucb_multiplier",
     [](Recipe& recipe, double value) { recipe.expanding.theoretical = value > 0; }},
    {"expanding_most", 1, 1000, false, "Of expanding: lengthscales are divided by no more",
     [](Recipe& recipe, double value) { recipe.expanding.most = value; }},
    {"first_lengthscale", 1e-3, 100, false,
     "Of expanding that limits or replaces lengthscales: where these begin",
     [](Recipe& recipe, double value) { recipe.expanding.first_lengthscale = value; }},
    {"regret_power", 0, 0.999, false,
     "Of expanding: the regret that it grows to is t to this power",
     [](Recipe& recipe, double value) { recipe.expanding.reference_power = value; }},
    {"norm", 1e-3, 1000, false, "Of expanding_theory: the function's norm at first",
     [](Recipe& recipe, double value) { recipe.expanding.norm = value; }},
    {"norm_share", 0, 1, false, "Of expanding_theory: lambda, the norm's part of the growth",
     [](Recipe& recipe, double value) { recipe.expanding.norm_share = value; }},
    {"norm_by_half_power", 0, 1, true,
     "Of expanding_theory, 1: the norm grows by g^(d/2) instead of g^d",
     [](Recipe& recipe, double value) { recipe.expanding.norm_by_half_power = value > 0; }},
    {"shrinking_deviation", 1e-6, 1, false,
     "Of shrinking: the least deviation at the next point, on outputs of variance 1",
     [](Recipe& recipe, double value) { recipe.shrinking.least_deviation = value; }},
    {"shrinking_most", 1, 1000, false, "Of shrinking: lengthscales are divided by no more",
     [](Recipe& recipe, double value) { recipe.shrinking.most = value; }},
    {"pseudo_points", 1, 10, true, "Of consistent: evenly spread points for each result",
     [](Recipe& recipe, double value) {
       recipe.consistent.points_per_result = static_cast<Index>(value);
     }},
    {"exploration_horizon", 2, 1e6, true, "Of exp3 and portfolio: suggestions to reckon with",
     [](Recipe& recipe, double value) { recipe.exploration_options.horizon = value; }},
    {"running_rewards", 0, 1, true, "1: exp3 and portfolio scale rewards by all results so far",
     [](Recipe& recipe, double value) { recipe.exploration_options.running_rewards = value > 0; }},
    {"random_share", 0, 1, false, "Of the exploration random: how many are",
     [](Recipe& recipe, double value) { recipe.exploration_options.random_share = value; }},
    {"hedge_rate", 0, 100, false, "Of hedge: eta, on outputs of variance 1",
     [](Recipe& recipe, double value) { recipe.exploration_options.hedge_rate = value; }},
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

std::string CalibrationNames() {
  return absl::StrCat(
      NamesIn(absl::MakeConstSpan(kCalibrationNames)), ", ", kConsistent,
      "(one of these but fixed), or ",
      absl::StrJoin(kLengthscaleRuleNames, " or ",
                    [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.name); }),
      "(any of these), as expanding(map)");
}

// Takes "wrapper(...)", or "wrapper" alone, off `name`; false if it is not there.
bool Unwrap(absl::string_view wrapper, absl::string_view& name) {
  if (name == wrapper) {
    name = "map";
    return true;
  }
  absl::string_view rest = name;
  if (!absl::ConsumePrefix(&rest, wrapper) || !absl::ConsumePrefix(&rest, "(") ||
      !absl::ConsumeSuffix(&rest, ")")) {
    return false;
  }
  name = rest;
  return true;
}

absl::Status ChooseCalibration(const std::string& name, Recipe& recipe) {
  if (name.empty()) return absl::OkStatus();
  absl::string_view rest = name;
  recipe.lengthscale_rule = LengthscaleRule::kAsCalibrated;
  for (const NamedIngredient<LengthscaleRule>& rule : kLengthscaleRuleNames) {
    if (!Unwrap(rule.name, rest)) continue;
    recipe.lengthscale_rule = rule.value;
    break;
  }
  recipe.is_consistent = Unwrap(kConsistent, rest);
  for (const NamedIngredient<CalibrationKind>& entry : kCalibrationNames) {
    if (entry.name != rest) continue;
    recipe.calibration = entry.value;
    return absl::OkStatus();
  }
  return InvalidField("calibration", name, CalibrationNames());
}

std::string CalibrationName(const Recipe& recipe) {
  std::string name = NameOf(kCalibrationNames, recipe.calibration);
  if (recipe.is_consistent) name = absl::StrCat(kConsistent, "(", name, ")");
  const std::string rule = NameOf(kLengthscaleRuleNames, recipe.lengthscale_rule);
  return rule.empty() ? name : absl::StrCat(rule, "(", name, ")");
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

absl::Status CheckRecipe(const Recipe& recipe) {
  const RecipeChange names = NamesOf(recipe);
  const bool has_rule = recipe.lengthscale_rule != LengthscaleRule::kAsCalibrated;
  if (recipe.is_consistent && recipe.calibration == CalibrationKind::kFixed) {
    return InvalidField("calibration", names.calibration,
                        "consistent with mle, map or hmc: it does not go together with fixed, "
                        "which leaves it nothing to estimate");
  }
  if (recipe.warps_inputs && recipe.prior != PriorKind::kNone) {
    return InvalidField("options[input_warp]", "1",
                        absl::StrCat("0: it does not go together with the prior ", names.prior,
                                     ", whose sources' models know points by their plain scale"));
  }
  if (has_rule && recipe.prior == PriorKind::kCluster &&
      !recipe.cluster.residual_amplitude.has_value()) {
    return InvalidField(
        "calibration", names.calibration,
        "without expanding or shrinking: these do not go together with the prior cluster, which "
        "has no lengthscales to divide unless the option residual_amplitude is given");
  }
  const bool has_constant_multiplier =
      recipe.acquisition == AcquisitionKind::kUpperConfidenceBound &&
      recipe.ucb_schedule == UcbSchedule::kConstant;
  if (recipe.lengthscale_rule == LengthscaleRule::kExpanding && recipe.expanding.theoretical &&
      !has_constant_multiplier) {
    return InvalidField("acquisition", names.acquisition,
                        "ucb: the option expanding_theory does not go together with others, as it "
                        "takes the place of ucb's multiplier");
  }
  return absl::OkStatus();
}

absl::StatusOr<Recipe> ChangedRecipe(const Recipe& base, const RecipeChange& change) {
  Recipe recipe = base;
  AcquisitionChoice acquisition{recipe.acquisition, recipe.ucb_schedule};
  SLIPSTREAM_RETURN_IF_ERROR(Choose("prior", change.prior, kPriorNames, recipe.prior));
  SLIPSTREAM_RETURN_IF_ERROR(ChooseCalibration(change.calibration, recipe));
  SLIPSTREAM_RETURN_IF_ERROR(
      Choose("acquisition", change.acquisition, kAcquisitionNames, acquisition));
  SLIPSTREAM_RETURN_IF_ERROR(Choose("initial", change.initial, kInitialNames, recipe.initial));
  SLIPSTREAM_RETURN_IF_ERROR(
      Choose("exploration", change.exploration, kExplorationNames, recipe.exploration));
  recipe.acquisition = acquisition.kind;
  recipe.ucb_schedule = acquisition.schedule;
  for (const auto& [name, value] : change.options) {
    SLIPSTREAM_RETURN_IF_ERROR(SetOption(name, value, recipe));
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckRecipe(recipe));
  return recipe;
}

RecipeChange NamesOf(const Recipe& recipe) {
  RecipeChange names;
  names.prior = NameOf(kPriorNames, recipe.prior);
  names.calibration = CalibrationName(recipe);
  names.exploration = NameOf(kExplorationNames, recipe.exploration);
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
