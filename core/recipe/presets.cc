#include "core/recipe/presets.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/calibration/expanding.h"
#include "core/prior/cluster/cluster_prior.h"

namespace slipstream {
namespace {

// A recipe in the words that people write it in; what is left out is as in the earlier preset that
// it is like, or else as in Recipe().
struct RecipeWords {
  absl::string_view like = {};
  absl::string_view prior = {};
  absl::string_view calibration = {};
  absl::string_view acquisition = {};
  absl::string_view initial = {};
  absl::string_view exploration = {};
  std::pair<absl::string_view, double> options[11] = {};
};

struct PresetWords {
  absl::string_view name;
  absl::string_view summary;
  RecipeWords recipe;
  bool has_model = true;
};

// Values of options that count something: an enumerator is given by its place.
template <typename Enum>
constexpr double Place(Enum value) {
  return static_cast<double>(value);
}
constexpr double kSquaredExponential = Place(Smoothness::kSquaredExponential);
constexpr double kStandardized = Place(OutputWarp::kStandardize);
constexpr double kRoughSources = Place(SourceKernel::kMatern32TimesMatern12);
constexpr double kSmoothSources = Place(SourceKernel::kSquaredExponential);
constexpr double kOneForAll = Place(Lengthscales::kShared);
constexpr double kWasserstein = Place(NormalDistance::kWasserstein);
constexpr double kJeffreys = Place(NormalDistance::kJeffreys);
constexpr double kBarycenters = Place(PrototypeKind::kWassersteinBarycenter);
constexpr double kTogether = Place(SourceGrouping::kTogether);
constexpr double kIndividual = Place(SourceGrouping::kIndividual);
constexpr double kOneStep = Place(RegretEstimate::kOneStep);
constexpr double kMinimum = Place(LengthscaleCoupling::kMinimum);
constexpr double kAsMeans = Place(CovarianceWeights::kAsMeans);
constexpr double kCmboNoise = 0.1353352832366127;  // exp(-2): where a learnt one is believed to be.
constexpr double kRootOfOneFifth = 0.4472135954999579;

constexpr PresetWords kPresets[] = {
    {"auto",
     "The default. With source tasks, empirical_gp guarded by a model without them (on candidate "
     "lists, after three entries of source_portfolio); without source tasks, gp_log_ei",
     {.prior = "empirical",
      .initial = "transfer",
      .exploration = "turns",
      .options = {{"transfer_guard", 1}}}},
    {"gp_log_ei",
     "Gaussian process, most probable hyperparameters, log expected improvement, and turns once "
     "little improvement is expected",
     {.exploration = "turns"}},
    {"portfolio_gp",
     "The first entries of source_portfolio, then gp_log_ei",
     {.initial = "source_portfolio", .exploration = "turns"}},
    {"gp_hmc",
     "Gaussian process, hyperparameters sampled and averaged over, log expected improvement",
     {.calibration = "hmc"}},
    {"gp_ucb",
     "Gaussian process, upper confidence bound of 1.8 deviations",
     {.acquisition = "ucb"}},
    {"gp_ei", "Gaussian process, expected improvement", {.acquisition = "ei"}},
    {"gp_pi", "Gaussian process, probability of improvement", {.acquisition = "pi"}},
    {"gp_ts",
     "Gaussian process, the maximum of one draw (Thompson sampling)",
     {.acquisition = "thompson"}},

    // A-GP-UCB, section 4.2: two deviations, as the paper names "two or three" for standardised
    // results. It starts at random.
    {"agpucb_bound",
     "Lengthscales shrink while a (loose) bound on the regret is below t^0.9 (A-GP-UCB with a "
     "constant multiplier)",
     {.calibration = "expanding(map)",
      .acquisition = "ucb",
      .initial = "random",
      .options = {{"ucb_multiplier", 2}, {"output_warp", kStandardized}, {"mean", 0}}}},
    {"agpucb_onestep",
     "agpucb_bound with the regret estimated one step ahead",
     {.like = "agpucb_bound", .options = {{"expanding_estimate", kOneStep}}}},
    {"agpucb_min",
     "agpucb_onestep with lengthscales limited to 1 over the scale",
     {.like = "agpucb_onestep", .options = {{"expanding_coupling", kMinimum}}}},
    // Lemma 1's multiplier for a Gaussian kernel of variance 1; B_0, lambda and delta are defaults.
    {"agpucb_theory",
     "agpucb_bound with the norm bound and the multiplier for which sublinear regret is proved",
     {.calibration = "expanding(map)",
      .acquisition = "ucb",
      .initial = "random",
      .options = {{"expanding_theory", 1},
                  {"smoothness", kSquaredExponential},
                  {"output_warp", kStandardized},
                  {"mean", 0},
                  {"amplitude", 1}}}},
    {"agpucb_theory_onestep",
     "agpucb_theory with the regret estimated one step ahead",
     {.like = "agpucb_theory", .options = {{"expanding_estimate", kOneStep}}}},
    {"wang_de_freitas",
     "Lengthscales just short enough for a deviation of 0.1 at the next point",
     {.calibration = "shrinking(map)",
      .acquisition = "ucb",
      .initial = "random",
      .options = {{"ucb_multiplier", 2},
                  {"shrinking_most", 1000},
                  {"output_warp", kStandardized},
                  {"mean", 0}}}},

    // UHE-BO and what its paper compares with: 1.96 deviations, standardised results around a mean
    // of 0, and Gamma(1e-3, 10) beliefs, shape and rate, in variances and lengthscales. Its MCMC
    // takes 200 draws to warm up and keeps 10; ours takes 2 x 60 and keeps 16.
    {"uhebo",
     "Hyperparameters from evenly spread pseudo points, random blocks by EXP3 (UHE-BO)",
     {.calibration = "consistent(map)",
      .acquisition = "ucb",
      .exploration = "exp3",
      .options = {{"ucb_multiplier", 1.96},
                  {"gamma_rate", 10},
                  {"output_warp", kStandardized},
                  {"mean", 0}}}},
    {"rabo",
     "uhebo with every second suggestion random, instead of as EXP3 decides (RA-BO)",
     {.like = "uhebo", .exploration = "alternate"}},
    {"random_exp3",
     "uhebo's random blocks with most probable hyperparameters",
     {.like = "uhebo", .calibration = "map"}},
    {"portfolio",
     "EXP3 chooses between a random point and the acquisition's at each suggestion",
     {.like = "random_exp3", .exploration = "portfolio"}},
    {"gp_map",
     "Most probable hyperparameters under uhebo's priors, a baseline of its paper",
     {.like = "random_exp3", .exploration = "none"}},
    {"gp_mcmc",
     "Hyperparameters sampled and averaged over, a baseline of uhebo's paper",
     {.like = "gp_map", .calibration = "hmc"}},

    // DeltaBO: beta = 0.2 under the root, a smooth difference, and no design of the target's own.
    // Its appendix gives lengthscales, noise and tau by hand for each task; here they are averaged
    // over. After a few results, the most probable tau is often next to 0, and a study with it
    // stays where the source is best (tests/evidence/CHOICES.md).
    {"deltabo",
     "DeltaBO: the source's posterior mean plus a process for the difference, from the first trial",
     {.prior = "delta",
      .calibration = "hmc",
      .acquisition = "ucb",
      .initial = "none",
      .options = {{"ucb_multiplier", kRootOfOneFifth},
                  {"difference_smoothness", kSquaredExponential},
                  {"mean", 0},
                  {"source_mean", 0}}}},
    {"stacked",
     "The first entries of source_portfolio, then the sources' exact posterior as prior plus a "
     "process for the difference (SHGP)",
     {.prior = "stacked", .initial = "source_portfolio"}},
    {"empirical_gp",
     "The sources as draws of one process, with their mean and covariance, plus a process for the "
     "rest, from the first trial",
     {.prior = "empirical", .initial = "none"}},
    {"prototype_sum",
     "The centres of all sources and of clusters, and single sources, with learnt weights, plus a "
     "process for the rest, from the first trial",
     {.prior = "prototype_sum", .initial = "none"}},
    {"learnt_beliefs",
     "gp_log_ei with priors for lengthscales, amplitude and noise that are learnt from the sources",
     {.prior = "beliefs", .exploration = "turns"}},
    // ScaML: beta = 9 under the root, no initial points.
    {"scaml",
     "Sources' posteriors with learnt weights plus a process for the rest, from the first trial "
     "(ScaML-GP)",
     {.prior = "scaml",
      .acquisition = "ucb",
      .initial = "none",
      .options = {{"ucb_multiplier", 3}}}},

    // cm-BO: Matern 3/2 times Matern 1/2 for the sources, three deviations, 300 places, five random
    // points to start with; the noise is given and the mean 0, so that weights and acquisition have
    // one posterior.
    {"cmbo_wss_wss",
     "Clusters by Wasserstein distance, weights by the same (cm-BO)",
     {.prior = "cluster",
      .acquisition = "ucb",
      .initial = "random",
      .options = {{"ucb_multiplier", 3},
                  {"source_kernel", kRoughSources},
                  {"initial_points", 5},
                  {"noise_deviation", kCmboNoise},
                  {"mean", 0},
                  {"output_warp", kStandardized},
                  {"weight_places", 300},
                  {"cluster_distance", kWasserstein},
                  {"weight_distance", kWasserstein}}}},
    {"cmbo_jef_jef",
     "cm-BO with Jeffreys divergence for both",
     {.like = "cmbo_wss_wss",
      .options = {{"cluster_distance", kJeffreys}, {"weight_distance", kJeffreys}}}},
    {"cmbo_jef_wss",
     "cm-BO with clusters by Jeffreys divergence, weights by Wasserstein distance",
     {.like = "cmbo_wss_wss", .options = {{"cluster_distance", kJeffreys}}}},
    {"cmbo_wss_jef",
     "cm-BO with clusters by Wasserstein distance, weights by Jeffreys divergence",
     {.like = "cmbo_wss_wss", .options = {{"weight_distance", kJeffreys}}}},
    {"cmbo_wss_wss_bary",
     "cmbo_wss_wss with Wasserstein barycenters for prototypes",
     {.like = "cmbo_wss_wss", .options = {{"prototype_kind", kBarycenters}}}},
    {"cmbo_global_centre",
     "cm-BO with one prototype of all sources, and no weights",
     {.like = "cmbo_wss_wss", .options = {{"source_grouping", kTogether}}}},
    {"cmbo_individual",
     "cm-BO with the centre of all sources, weighted one by one",
     {.like = "cmbo_wss_wss",
      .options = {{"source_grouping", kIndividual},
                  {"weight_distance", kJeffreys},
                  {"covariance_weights", kAsMeans}}}},
    {"rgpe",
     "Ensemble of the sources' and the target's processes, weighted by how well they rank",
     {.prior = "rgpe",
      .initial = "random",
      .options = {{"rgpe_sources", 0}, {"output_warp", kStandardized}}}},
    // RM-GP: five points to start with.
    {"rm_gp_ucb",
     "Upper confidence bounds of the sources' and the target's processes; the sources' fade out",
     {.prior = "rm_gp",
      .acquisition = "ucb_dimension",
      .initial = "random",
      .options = {{"initial_points", 5}, {"rm_gp_sources", 0}, {"output_warp", kStandardized}}}},
    {"rm_gp_ts",
     "One draw of the sources' processes or, more and more often, of the target's",
     {.like = "rm_gp_ucb", .acquisition = "thompson"}},
    // Envelope-BO: tau_0 = 5, v_0 = 3, EI from the largest mean and the bound of Srinivas et al.
    // for a cube. The sources alone are regressed on under the same kernel.
    {"envelope_ei",
     "Sources' points as results with a noise estimated from their errors, with EI (Envelope-BO)",
     {.prior = "envelope",
      .acquisition = "ei",
      .options = {{"incumbent_everywhere", 1},
                  {"source_kernel", kSmoothSources},
                  {"source_lengthscales", kOneForAll},
                  {"source_amplitude", 1},
                  {"source_mean", 0}}}},
    {"envelope_ucb",
     "envelope_ei with the theoretical upper confidence bound instead of EI",
     {.prior = "envelope",
      .acquisition = "ucb_theory_continuous",
      .options = {{"source_kernel", kSmoothSources},
                  {"source_lengthscales", kOneForAll},
                  {"source_amplitude", 1},
                  {"source_mean", 0}}}},
    {"env_gp",
     "Sources' points as results with a fixed noise, of a size that no paper names (Env-GP)",
     {.prior = "env_gp", .acquisition = "ucb", .options = {{"ucb_multiplier", kRootOfOneFifth}}}},
    {"env_gp_updated",
     "env_gp with a noise that follows the sources' errors",
     {.like = "env_gp", .options = {{"update_noise", 1}}}},
    {"diff_gp",
     "Sources' points corrected by a process for the difference (Diff-GP)",
     {.like = "env_gp", .prior = "diff_gp"}},
    // HyperBO: probability of improvement on the best result and a margin.
    {"hyperbo",
     "One process, learnt from all sources before the first result and then kept (HyperBO)",
     {.prior = "pretrained",
      .calibration = "fixed",
      .acquisition = "max_value_pi",
      .options = {{"output_warp", kStandardized}}}},

    {"collaborative",
     "Scores from the order of results within each task, modelled by one process (SCoT)",
     {.prior = "scot", .acquisition = "ei"}},
    {"efficient",
     "One process over points and tasks for the deviations from each task's mean (Efficient-BO)",
     {.prior = "deviation", .acquisition = "ei", .options = {{"output_warp", kStandardized}}}},

    {"source_portfolio",
     "The configurations that served the source tasks best, one after the other, then quasi_random",
     {},
     /*has_model=*/false},
    {"quasi_random",
     "Fills the space evenly with a scrambled Sobol sequence; looks at no results",
     {},
     /*has_model=*/false},
    {"random",
     "Uniformly random configurations; looks at no results",
     {},
     /*has_model=*/false},
};

RecipeChange ChangeOf(const RecipeWords& words) {
  RecipeChange change;
  change.prior = std::string(words.prior);
  change.calibration = std::string(words.calibration);
  change.acquisition = std::string(words.acquisition);
  change.exploration = std::string(words.exploration);
  change.initial = std::string(words.initial);
  for (const auto& [name, value] : words.options) {
    if (!name.empty()) change.options.emplace(name, value);
  }
  return change;
}

std::vector<Preset> MakePresets() {
  std::vector<Preset> presets;
  for (const PresetWords& words : kPresets) {
    const auto like = std::find_if(presets.begin(), presets.end(), [&](const Preset& preset) {
      return preset.name == words.recipe.like;
    });
    assert(words.recipe.like.empty() || like != presets.end());
    const absl::StatusOr<Recipe> recipe = ChangedRecipe(
        like == presets.end() ? Recipe() : like->recipe, ChangeOf(words.recipe));
    assert(recipe.ok());
    presets.push_back({words.name, words.summary, *recipe, words.has_model});
  }
  return presets;
}

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
                        absl::StrCat("left out, like the rest of the recipe, with the preset ",
                                     name, ", which has no model"));
  }
  return ChangedRecipe(recipe, change);
}

absl::Span<const Preset> Presets() {
  static const auto& presets = *new std::vector<Preset>(MakePresets());
  return presets;
}

const Preset* FindPreset(absl::string_view name) {
  for (const Preset& preset : Presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace slipstream
