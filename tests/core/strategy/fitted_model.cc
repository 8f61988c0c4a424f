#include "tests/core/strategy/fitted_model.h"

#include <utility>

#include "core/base/counter_random.h"
#include "core/recipe/presets.h"
#include "core/sources/usable_sources.h"

namespace slipstream {

Recipe RecipeOf(const std::string& preset, const RecipeChange& change) {
  return FindPreset(preset)->With(change).value();
}

namespace {

// The lane that core/strategy/model_strategy.cc uses.
constexpr uint64_t kCalibrationLane = 0xca11b;

std::unique_ptr<Calibration> CalibrationOf(const Recipe& recipe) {
  QuasiNewtonOptions ascents;
  if (recipe.prior->ascents > 0) ascents.ascents = recipe.prior->ascents;
  std::unique_ptr<Calibration> calibration = recipe.calibration.base->make(ascents);
  const auto& wrapper = recipe.calibration.wrapper;
  if (!wrapper.has_value()) return calibration;
  return (*wrapper)->wrap(std::move(calibration), wrapper->options());
}

}  // namespace

FittedModel::FittedModel(const Recipe& recipe, const FakeStudy& study, Index initial_results,
                         uint64_t seed)
    : calibration_(CalibrationOf(recipe)) {
  const StudyView view = study.view();
  ObjectiveModelRequest request{view, recipe, *calibration_, *calibration_, *cache_};
  request.initial_results = initial_results;
  request.seed = CounterRandomBits(seed, 0, kCalibrationLane);
  const std::shared_ptr<const Prior> prior = PriorOf(recipe);
  if (prior != nullptr) {
    const SourceFitOptions options = SourceFitOf(recipe, view.sources, *view.space);
    sources_ = CollectUsableSources(view, *study.library, options)->models;
    request.prior = prior.get();
    request.sources = sources_;
    request.scale = options.scale;
  }
  model_ = ObjectiveModel::Fit(request).value();
}

}  // namespace slipstream
