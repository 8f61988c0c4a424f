// The model that a recipe makes of a study, with the sources as it sees them.
#ifndef SLIPSTREAM_TESTS_CORE_STRATEGY_FITTED_MODEL_H_
#define SLIPSTREAM_TESTS_CORE_STRATEGY_FITTED_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/recipe/recipe.h"
#include "core/recipe/recipe_names.h"
#include "core/strategy/objective_model.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {

// The recipe of a preset, changed. Dies where there is none.
Recipe RecipeOf(const std::string& preset, const RecipeChange& change = {});

class FittedModel {
 public:
  // After so many initial results; `seed` is that of the study. Lengthscales are as the recipe's
  // calibration has them, without its rule. Dies if it cannot be fitted.
  FittedModel(const Recipe& recipe, const FakeStudy& study, Index initial_results = 1,
              uint64_t seed = 0);

  const SourceModels& sources() const { return sources_; }
  const SourceModel& source(size_t place = 0) const { return *sources_[place]; }
  const ObjectiveModel& model() const { return *model_; }
  const Surrogate& surrogate() const { return model_->member(0); }

 private:
  std::unique_ptr<Calibration> calibration_;
  SourceModels sources_;
  std::unique_ptr<CalibrationCache> cache_ = std::make_unique<CalibrationCache>();
  std::optional<ObjectiveModel> model_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_STRATEGY_FITTED_MODEL_H_
