// A method as a choice on each axis. Presets are recipes with a name.
#ifndef SLIPSTREAM_CORE_RECIPE_RECIPE_H_
#define SLIPSTREAM_CORE_RECIPE_RECIPE_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/types/span.h"
#include "core/acquisition/acquisitions.h"
#include "core/base/ingredient.h"
#include "core/calibration/calibrations.h"
#include "core/exploration/exploration.h"
#include "core/gp/kernel.h"
#include "core/gp/output_transform.h"
#include "core/prior/priors.h"
#include "core/sources/fitted_source.h"

namespace slipstream {

struct InitialOptions {
  // How many results there are before the model is asked.
  std::optional<size_t> points = {};

  friend bool operator==(const InitialOptions&, const InitialOptions&) = default;
};

// A way to make the first suggestions, before there are results for a model. Its options, if it has
// any, are InitialOptions.
struct InitialRow {
  Ingredient about;
  bool is_random = false;          // Uniformly random.
  bool from_sources = false;       // Begins with what served the source tasks best.
  bool from_model = false;         // There is none: the model is asked at once, ...
  bool with_sources_only = false;  // ... if the study has sources, else it fills the space evenly.
  // On a candidate list the sources' best come before the model's.
  bool known_first = false;
};

// All of them, in the order in which people should meet them.
absl::Span<const InitialRow* const> InitialRows();

// Options of every recipe's model, whatever its ingredients.
struct StudyModelOptions {
  Smoothness smoothness = Smoothness::kMatern52;
  OutputWarp warp = OutputWarp::kByEvidence;
  bool warps_inputs = false;
  // A model without sources stands beside the one with them (core/strategy/mixed_model.h).
  bool transfer_guard = false;
  // Different results that one process takes in; see TrainingSetOptions::most.
  int exact_results = 1000;
  // Describe the study's own process, which may model the difference from its sources.
  GivenHyperparameters given = {};
  GammaBeliefs gamma = {};
  // Instead of what the prior needs.
  std::optional<TaskScale> scale = {};
  SourceFitOptions sources = {};

  friend bool operator==(const StudyModelOptions&, const StudyModelOptions&) = default;
};

struct ModelRow {
  Ingredient about;
};

// The only one.
extern const ModelRow kStudyModel;

// "rule(wrapper(base))", where the rule and the wrapper may be missing.
struct CalibrationChoice {
  Choice<CalibrationRow> base;
  std::optional<Choice<CalibrationRow>> wrapper = {};
  std::optional<Choice<CalibrationRow>> rule = {};

  friend bool operator==(const CalibrationChoice&, const CalibrationChoice&) = default;
};

struct Recipe {
  // A Gaussian process at its most probable hyperparameters, without sources, and the logarithm of
  // the expected improvement.
  Recipe();

  Choice<PriorRow> prior;
  CalibrationChoice calibration;
  Choice<AcquisitionRow> acquisition;
  Choice<ExplorationRow> exploration;
  Choice<InitialRow> initial;
  Choice<ModelRow> model;

  const StudyModelOptions& model_options() const { return model.options().As<StudyModelOptions>(); }

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// The scale that the recipe's prior works on.
TaskScale TaskScaleOf(const Recipe& recipe);

// The warp of a task with sources that has a scale of its own, and of the sources then.
OutputWarp WarpWithSources(const Recipe& recipe);

// How the recipe wants these sources fitted for a study of this space.
SourceFitOptions SourceFitOf(const Recipe& recipe,
                             absl::Span<const std::shared_ptr<const SourceTaskData>> sources,
                             const SearchSpace& space);

// The recipe's prior, shared with equal ones; null without one. Thread-safe.
std::shared_ptr<const Prior> PriorOf(const Recipe& recipe);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_RECIPE_RECIPE_H_
