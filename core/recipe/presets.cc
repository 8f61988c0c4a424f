#include "core/recipe/presets.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

using A = AcquisitionKind;
using C = CalibrationKind;
using E = ExplorationKind;
using L = LengthscaleRule;
using P = PriorKind;

constexpr Preset kPresets[] = {
    {"gp_log_ei",
     "Gaussian process, most probable hyperparameters, log expected improvement, and turns once "
     "little is expected; the default",
     {.exploration = E::kTurns}},
    {"portfolio_gp",
     "The first entries of source_portfolio, then gp_log_ei; the default with source tasks",
     {.initial = InitialDesign::kZeroShot, .exploration = E::kTurns}},
    {"gp_hmc",
     "Gaussian process, hyperparameters sampled and averaged over, log expected improvement",
     {.calibration = C::kHamiltonian}},
    {"gp_ucb",
     "Gaussian process, upper confidence bound of 1.8 deviations",
     {.acquisition = A::kUpperConfidenceBound}},
    {"gp_ei", "Gaussian process, expected improvement", {.acquisition = A::kExpectedImprovement}},
    {"gp_pi",
     "Gaussian process, probability of improvement",
     {.acquisition = A::kProbabilityOfImprovement}},
    {"gp_ts",
     "Gaussian process, the maximum of one draw (Thompson sampling)",
     {.acquisition = A::kThompson}},

    // A-GP-UCB: two deviations, as the paper names "two or three" for standardised results.
    {"agpucb_bound",
     "Lengthscales shrink while a (loose) bound on the regret is below t^0.9 (A-GP-UCB)",
     {.lengthscale_rule = L::kExpanding,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 2}},
    {"agpucb_onestep",
     "The same with the regret estimated one step ahead",
     {.lengthscale_rule = L::kExpanding,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 2,
      .expanding = {.estimate = RegretEstimate::kOneStep}}},
    {"agpucb_min",
     "The same with lengthscales that are at most 1 over the scale",
     {.lengthscale_rule = L::kExpanding,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 2,
      .expanding = {.estimate = RegretEstimate::kOneStep,
                    .coupling = LengthscaleCoupling::kMinimum}}},
    {"wang_de_freitas",
     "Lengthscales just short enough for a deviation of 0.1 at the next point",
     {.lengthscale_rule = L::kShrinking,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 2}},
    // UHE-BO and what its paper compares with: 1.96 deviations. Its MCMC takes 200 draws to warm up
    // and keeps 10; ours takes 2 x 60 and keeps 16.
    {"uhebo",
     "Hyperparameters from evenly spread pseudo points, random blocks by EXP3 (UHE-BO)",
     {.is_consistent = true,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 1.96,
      .exploration = E::kExp3}},
    {"rabo",
     "uhebo with every second suggestion random instead of by EXP3 (RA-BO)",
     {.is_consistent = true,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 1.96,
      .exploration = E::kAlternate}},
    {"random_exp3",
     "uhebo's random blocks with usual hyperparameters",
     {.acquisition = A::kUpperConfidenceBound, .ucb_multiplier = 1.96, .exploration = E::kExp3}},
    {"portfolio",
     "EXP3 chooses between a random point and the acquisition's at each suggestion",
     {.acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 1.96,
      .exploration = E::kPortfolio}},
    {"gp_map",
     "Most probable hyperparameters, what uhebo is compared with",
     {.acquisition = A::kUpperConfidenceBound, .ucb_multiplier = 1.96}},
    {"gp_mcmc",
     "Hyperparameters sampled and averaged over, what uhebo is compared with",
     {.calibration = C::kHamiltonian,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 1.96}},

    // DeltaBO: beta = 0.2 under the root, tau = 0.2 on outputs of variance 1, a smooth difference.
    {"deltabo",
     "DeltaBO: the source's posterior mean plus a process for the difference",
     {.prior = P::kDelta,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 0.4472135954999579,
      .source_sum = {.amplitude = 0.2, .difference = Smoothness::kSquaredExponential}}},
    {"stacked",
     "The source's posterior as prior plus a process for the difference, exactly (SHGP)",
     {.prior = P::kStacked, .initial = InitialDesign::kZeroShot}},
    // ScaML: beta = 9 under the root.
    {"scaml",
     "Sources' posteriors with learnt weights plus a process for the rest (ScaML-GP)",
     {.prior = P::kScaml,
      .initial = InitialDesign::kZeroShot,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3}},

    // cm-BO: Matern 3/2 times Matern 1/2 for the sources, three deviations.
    {"cmbo_wss_wss",
     "Clusters by Wasserstein distance, weights by the same (cm-BO)",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.clustering = {.distance = NormalDistance::kWasserstein}},
                  .weights = NormalDistance::kWasserstein}}},
    {"cmbo_jef_jef",
     "cm-BO with Jeffreys divergence for both",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.clustering = {.distance = NormalDistance::kJeffreys}},
                  .weights = NormalDistance::kJeffreys}}},
    {"cmbo_jef_wss",
     "cm-BO with clusters by Jeffreys divergence, weights by Wasserstein distance",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.clustering = {.distance = NormalDistance::kJeffreys}},
                  .weights = NormalDistance::kWasserstein}}},
    {"cmbo_wss_jef",
     "cm-BO with clusters by Wasserstein distance, weights by Jeffreys divergence",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.clustering = {.distance = NormalDistance::kWasserstein}},
                  .weights = NormalDistance::kJeffreys}}},
    {"cmbo_wss_wss_bary",
     "cmbo_wss_wss with Wasserstein barycenters for prototypes",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.kind = PrototypeKind::kWassersteinBarycenter}}}},
    {"cmbo_global_centre",
     "cm-BO with one prototype of all sources, and no weights",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.grouping = SourceGrouping::kTogether}}}},
    {"cmbo_individual",
     "cm-BO with each source its own prototype",
     {.prior = P::kCluster,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 3,
      .sources = {.kernel = SourceKernel::kMatern32TimesMatern12},
      .cluster = {.prototypes = {.grouping = SourceGrouping::kIndividual},
                  .weights = NormalDistance::kJeffreys}}},
    {"rgpe",
     "Ensemble of the sources' and the target's processes, weighted by how well they rank",
     {.prior = P::kRgpe, .initial = InitialDesign::kZeroShot}},
    {"rm_gp_ucb",
     "Upper bounds of the sources' and the target's processes, the sources' fading out",
     {.prior = P::kRmGp,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_schedule = UcbSchedule::kDimension}},
    {"rm_gp_ts",
     "One draw of the sources' processes or, ever more often, the target's",
     {.prior = P::kRmGp, .acquisition = A::kThompson}},
    // Envelope-BO: tau_0 = 5, v_0 = 3, and the bound of Srinivas et al. for a cube.
    {"envelope_ei",
     "Sources' points as results with a noise that their errors tell (Envelope-BO), with EI",
     {.prior = P::kEnvelope, .acquisition = A::kExpectedImprovement}},
    {"envelope_ucb",
     "The same with the theoretical upper confidence bound",
     {.prior = P::kEnvelope,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_schedule = UcbSchedule::kContinuous}},
    {"env_gp",
     "Sources' points as results with a fixed extra noise (Env-GP)",
     {.prior = P::kEnvGp,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 0.4472135954999579}},
    {"diff_gp",
     "Sources' points corrected by a process for the difference (Diff-GP)",
     {.prior = P::kDiffGp,
      .acquisition = A::kUpperConfidenceBound,
      .ucb_multiplier = 0.4472135954999579}},
    // HyperBO: probability of improvement on the best result and a margin.
    {"hyperbo",
     "One process learnt from all sources beforehand and kept (HyperBO)",
     {.prior = P::kPretrained, .calibration = C::kFixed, .acquisition = A::kMaxValueOfResults}},

    {"collaborative",
     "Scores from the order of results within each task, and a process for them (SCoT)",
     {.prior = P::kScot, .acquisition = A::kExpectedImprovement}},
    {"efficient",
     "Deviations from each task's mean, one process over points and tasks (Efficient-BO)",
     {.prior = P::kDeviation, .acquisition = A::kExpectedImprovement}},

    {"source_portfolio",
     "The configurations that served the source tasks best, one after the other, then quasi_random",
     {},
     /*has_model=*/false},
    {"quasi_random",
     "Fills the space evenly with a scrambled Sobol sequence; looks at no results",
     {},
     /*has_model=*/false},
    {"random", "Uniformly random configurations; looks at no results", {}, /*has_model=*/false},
};

// The first thing that a change has, which is not empty.
std::pair<std::string, std::string> FirstOf(const RecipeChange& change) {
  for (const auto& [axis, name] : {std::pair{"prior", &change.prior},
                                   {"calibration", &change.calibration},
                                   {"acquisition", &change.acquisition},
                                   {"initial", &change.initial},
                                   {"exploration", &change.exploration}}) {
    if (!name->empty()) return {axis, *name};
  }
  const auto& [option, value] = *change.options.begin();
  return {absl::StrCat("options[", option, "]"), absl::StrCat(value)};
}

}  // namespace

absl::StatusOr<Recipe> Preset::With(const RecipeChange& change) const {
  if (change.empty()) return recipe;
  if (!has_model) {
    const auto [axis, name_there] = FirstOf(change);
    return InvalidField(axis, name_there,
                        absl::StrCat("left out, as all of a recipe, with the preset ", name,
                                     ", which has no model"));
  }
  return ChangedRecipe(recipe, change);
}

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
