#include "core/recipe/recipe.h"

namespace slipstream {
namespace {

const InitialRow kQuasiRandomStart = {
    .about = {.name = "quasi_random", .summary = "The first points fill the space evenly"},
};

const InitialRow kZeroShotStart = {
    .about = {.name = "source_portfolio",
              .summary = "The first points are those that served the source tasks best",
              .source = "Wistuba, Schilling and Schmidt-Thieme 2015; Winkelmolen et al. 2020"},
    .from_sources = true,
};

constexpr Option<StudyModelOptions> kModelOptions[] = {
    OptionAt<&StudyModelOptions::smoothness>(
        {"smoothness", "", 0, 3, true,
         "The kernel of the study's own process: 0 Matern 1/2, 1 Matern 3/2, 2 Matern 5/2, "
         "3 squared exponential"}),
    OptionAt<&StudyModelOptions::warp>(
        {"output_warp", "", 0, 3, true,
         "Results are 0: standardised, 1: made more normal by a power first, 2: replaced by ranks, "
         "for tails so heavy that only order counts, 3: as 1 in spaces of numbers alone, in others "
         "as 0 unless the results speak for 1"}),
    OptionAt<&StudyModelOptions::warps_inputs>(
        {"input_warp", "", 0, 1, true,
         "1: each number's scale is bent by a curve that is learnt; only with the prior none"}),
    OptionAt<&StudyModelOptions::sources, &SourceFitOptions::kernel>(
        {"source_kernel", "", 0, 1, true,
         "The kernel of each source's process: 0 Matern 5/2, 1 Matern 3/2 times Matern 1/2"}),
};

constexpr Conflict kModelConflicts[] = {
    {.axis = RecipeAxis::kPrior,
     .other = "none",
     .all_but = true,
     .option = "input_warp",
     .blames_option = true,
     .reason = "whose sources' models know points by their plain scale"},
};

}  // namespace

const ModelRow kStudyModel = {
    .about = {.name = "model",
              .summary = "The study's own Gaussian process",
              .options = [] { return OptionSet(StudyModelOptions(), kModelOptions); },
              .conflicts = kModelConflicts},
};

absl::Span<const InitialRow* const> InitialRows() {
  static constexpr const InitialRow* kRows[] = {&kQuasiRandomStart, &kZeroShotStart};
  return kRows;
}

Recipe::Recipe()
    : prior(*FindRow(PriorRows(), "none")),
      calibration{Choice<CalibrationRow>(*FindRow(CalibrationRows(), "map"))},
      acquisition(*FindRow(AcquisitionRows(), "log_ei")),
      exploration(*FindRow(ExplorationRows(), "none")),
      initial(kQuasiRandomStart),
      model(kStudyModel) {}

const SourceFitOptions* SourceFitOf(const Recipe& recipe) {
  return recipe.prior->uses_sources() ? &recipe.model_options().sources : nullptr;
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
