#include "core/recipe/recipe.h"

#include "core/sources/shared_scale.h"

namespace slipstream {
namespace {

constexpr Option<InitialOptions> kInitialOptions[] = {
    OptionAt<&InitialOptions::points>(
        {"initial_points", "results", 0, 1000, true,
         "Results before the model takes over; unless given, one more than the parameters, but at "
         "least 3 and at most 5, or 8 with categories or conditions"}),
};

OptionSet InitialOptionSet() { return OptionSet(InitialOptions(), kInitialOptions); }

const InitialRow kQuasiRandomStart = {
    .about = {.name = "quasi_random",
              .summary = "The first points fill the space evenly",
              .options = InitialOptionSet},
};

const InitialRow kRandomStart = {
    .about = {.name = "random",
              .summary = "The first points are uniformly random",
              .options = InitialOptionSet},
    .is_random = true,
};

const InitialRow kZeroShotStart = {
    .about = {.name = "source_portfolio",
              .summary = "The first points are those that served the source tasks best",
              .source = "Wistuba, Schilling and Schmidt-Thieme 2015; Winkelmolen et al. 2020",
              .options = InitialOptionSet},
    .from_sources = true,
};

const InitialRow kNoStart = {
    .about = {.name = "none",
              .summary = "No first points: the model suggests from the first trial on by what it "
                         "knows from the sources, and without sources from the first result on"},
    .from_model = true,
};

const InitialRow kTransferStart = {
    .about = {.name = "transfer",
              .summary = "With source tasks the model suggests from the first trial on, except "
                         "that on a candidate list, unless there are three results, the first "
                         "three points are those that served the source tasks best. Without source "
                         "tasks the first points fill the space evenly",
              .options = InitialOptionSet},
    .from_model = true,
    .with_sources_only = true,
    .known_first = true,
};

constexpr Option<StudyModelOptions> kModelOptions[] = {
    OptionAt<&StudyModelOptions::smoothness>(
        {"smoothness", "", 0, 3, true,
         "The kernel of the study's own process: 0 Matern 1/2, 1 Matern 3/2, 2 Matern 5/2, "
         "3 squared exponential; always 3 with envelope and deviation, always 1 with cluster; "
         "delta, stacked and scaml use difference_smoothness instead"}),
    OptionAt<&StudyModelOptions::warp>(
        {"output_warp", "", 0, 3, true,
         "Results are 0: standardised, 1: power-transformed towards normality first, 2: replaced "
         "by ranks, for tails so heavy that only order counts, 3: as with 1 in purely numeric "
         "spaces, in others as with 0 unless the results favour 1"}),
    OptionAt<&StudyModelOptions::warps_inputs>(
        {"input_warp", "", 0, 1, true,
         "1: the scale of each numeric parameter is warped by a learnt curve; only with the prior "
         "none"}),
    OptionAt<&StudyModelOptions::transfer_guard>(
        {"transfer_guard", "", 0, 1, true,
         "1: a model without the sources joins the one with them; each is weighted by how well it "
         "forecasts the results. Every eighth suggestion comes only from the model without, in "
         "purely numeric spaces every second one from the twentieth result on. A few early "
         "suggestions only fill the space, so that the models can be compared. No effect without "
         "source tasks"}),
    OptionAt<&StudyModelOptions::exact_results>(
        {"exact_results", "results", 100, 1500, true,
         "How many different results one process takes at most; its cost grows with the cube of "
         "their number. If there are more, half of those that it takes are the best ones and half "
         "are spread evenly over the others; unless the prior uses sources, local processes "
         "predict from all results"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::kernel>(
        {"source_kernel", "", 0, 4, true,
         "The kernel of each source's process: 0 Matern 5/2, 1 Matern 3/2 times Matern 1/2, "
         "2 squared exponential, 3 Matern 3/2, 4 Matern 1/2"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::lengthscales>(
        {"source_lengthscales", "", 0, 1, true,
         "Each source's process has 0: one lengthscale for all parameters, 1: one for each"}),
    OptionAt<&StudyModelOptions::scale>(
        {"task_scale", "", 0, 2, true,
         "The scale of results if the prior uses sources. 0: each task its own, which loses levels "
         "and spreads that tasks share; 1: one for all, that of the sources' results in the "
         "study's space (as 0 if these are all equal), without a power transform; tasks in other "
         "units then mislead; 2: as measured, even if the prior uses no sources, for constants "
         "given in the results' unit. Unless given, what the prior's method needs"}),
    OptionAt<&StudyModelOptions::given, &GivenHyperparameters::lengthscale>(
        {"lengthscale", "unit cube's edges", 1e-3, 100, false,
         "All lengthscales of the study's own process (with delta, stacked and scaml, that of the "
         "difference; with cluster, only if residual_amplitude is given); learnt unless given"}),
    OptionAt<&StudyModelOptions::given, &GivenHyperparameters::amplitude>(
        {"amplitude", "deviations of the results", 1e-3, 1000, false,
         "The deviation of the study's own process; unless given, it is 1 with envelope and learnt "
         "otherwise; delta, stacked and scaml use difference_amplitude instead, cluster uses "
         "residual_amplitude"}),
    OptionAt<&StudyModelOptions::given, &GivenHyperparameters::noise_deviation>(
        {"noise_deviation", "deviations of the results", 1e-6, 100, false,
         "The deviation of the noise of the study's results; learnt unless given or results are "
         "exact"}),
    OptionAt<&StudyModelOptions::given, &GivenHyperparameters::mean>(
        {"mean", "deviations of the results", -100, 100, false,
         "The mean of the study's own process; unless given, it is 0 with envelope and deviation "
         "and learnt otherwise"}),
    OptionAt<&StudyModelOptions::gamma, &GammaBeliefs::rate>(
        {"gamma_rate", "", 1e-6, 1e6, false,
         "The rate of Gamma priors of the variance, the lengthscales and the noise variance of the "
         "study's own process, also in place of those that learnt_beliefs learns; log-normal "
         "priors unless given"}),
    OptionAt<&StudyModelOptions::gamma, &GammaBeliefs::shape>(
        {"gamma_shape", "", 1e-6, 1e6, false,
         "The shape of these Gamma priors; only with gamma_rate"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::given,
             &GivenHyperparameters::lengthscale>(
        {"source_lengthscale", "unit cube's edges", 1e-3, 100, false,
         "All lengthscales of each source's process; learnt unless given"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::given,
             &GivenHyperparameters::amplitude>(
        {"source_amplitude", "deviations of the results", 1e-3, 1000, false,
         "The deviation of each source's process; learnt unless given"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::given,
             &GivenHyperparameters::noise_deviation>(
        {"source_noise_deviation", "deviations of the results", 1e-6, 100, false,
         "The deviation of the noise of the sources' results; learnt unless given"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::given, &GivenHyperparameters::mean>(
        {"source_mean", "deviations of the results", -100, 100, false,
         "The mean of each source's process; learnt unless given"}),
};

constexpr Conflict kModelConflicts[] = {
    {.axis = RecipeAxis::kPrior,
     .other = "none",
     .all_but = true,
     .option = "input_warp",
     .blames_option = true,
     .reason = "whose models of the sources know points only by their plain scale"},
    {.axis = RecipeAxis::kCalibration,
     .other = "expanding",
     .option = "transfer_guard",
     .blames_option = true,
     .reason = "which chooses the lengthscales of one model"},
    {.axis = RecipeAxis::kCalibration,
     .other = "shrinking",
     .option = "transfer_guard",
     .blames_option = true,
     .reason = "which chooses the lengthscales of one model"},
};

}  // namespace

const ModelRow kStudyModel = {
    .about = {.name = "model",
              .summary = "The study's own Gaussian process",
              .options = [] { return OptionSet(StudyModelOptions(), kModelOptions); },
              .conflicts = kModelConflicts},
};

absl::Span<const InitialRow* const> InitialRows() {
  static constexpr const InitialRow* kRows[] = {&kQuasiRandomStart, &kRandomStart, &kZeroShotStart,
                                                &kNoStart, &kTransferStart};
  return kRows;
}

Recipe::Recipe()
    : prior(*FindRow(PriorRows(), "none")),
      calibration{Choice<CalibrationRow>(*FindRow(CalibrationRows(), "map"))},
      acquisition(*FindRow(AcquisitionRows(), "log_ei")),
      exploration(*FindRow(ExplorationRows(), "none")),
      initial(kQuasiRandomStart),
      model(kStudyModel) {}

TaskScale TaskScaleOf(const Recipe& recipe) {
  return recipe.model_options().scale.value_or(recipe.prior->scale);
}

OutputWarp WarpWithSources(const Recipe& recipe) {
  const OutputWarp warp = recipe.model_options().warp;
  return warp == OutputWarp::kByEvidence ? OutputWarp::kPower : warp;
}

SourceFitOptions SourceFitOf(const Recipe& recipe,
                             absl::Span<const std::shared_ptr<const SourceTaskData>> sources,
                             const SearchSpace& space) {
  SourceFitOptions options = recipe.model_options().sources;
  options.warp = WarpWithSources(recipe);
  options.reach = recipe.model_options().warp == OutputWarp::kByEvidence ? kUsualReach : 0;
  switch (TaskScaleOf(recipe)) {
    case TaskScale::kOwn:
      break;
    case TaskScale::kShared:
      options.scale = SharedScaleOf(sources, space);
      break;
    case TaskScale::kAsMeasured:
      options.scale = OutputTransform::Identity(1);
      break;
  }
  return options;
}

std::shared_ptr<const Prior> PriorOf(const Recipe& recipe) {
  FollowedAcquisition followed;
  followed.draws = recipe.acquisition->draws;
  const double multiplier = recipe.acquisition.options().Get("ucb_multiplier").value_or(0);
  const bool is_constant =
      recipe.acquisition->is_upper_bound && recipe.acquisition->multiplier == nullptr;
  if (is_constant && multiplier > 0) followed.multiplier = multiplier;
  return CommonPrior(recipe.prior, followed);
}

}  // namespace slipstream
