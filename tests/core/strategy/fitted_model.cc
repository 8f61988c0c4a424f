#include "tests/core/strategy/fitted_model.h"

#include <utility>

#include "core/recipe/presets.h"
#include "core/sources/usable_sources.h"

namespace slipstream {

Recipe RecipeOf(const std::string& preset, const RecipeChange& change) {
  return FindPreset(preset)->With(change).value();
}

FittedModel::FittedModel(const Recipe& recipe, const FakeStudy& study, Index initial_results)
    : calibration_(MakeMaximumPosterior(QuasiNewtonOptions())) {
  const StudyView view = study.view();
  ObjectiveModelRequest request{view, recipe, *calibration_, *calibration_, *cache_};
  request.initial_results = initial_results;
  const std::shared_ptr<const Prior> prior = PriorOf(recipe);
  if (prior != nullptr) {
    const SourceFitOptions options = SourceFitOf(recipe, view.sources);
    sources_ = CollectUsableSources(view, *study.library, options)->models;
    request.prior = prior.get();
    request.sources = sources_;
    request.scale = options.scale;
  }
  model_ = ObjectiveModel::Fit(request).value();
}

}  // namespace slipstream
