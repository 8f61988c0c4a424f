// The names of recipes' ingredients and options, and how people change recipes: a
// preset's recipe with some of them replaced.
//
// A calibration is written as what it wraps in brackets: "map", "expanding(map)",
// "shrinking(consistent(mle))"; a wrapper without brackets wraps map.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(
//       Recipe recipe, ChangedRecipe(preset->recipe, {.prior = "scaml", .acquisition = "ei"}));
//
// Pure functions, hence thread-safe.
#ifndef SLIPSTREAM_CORE_RECIPE_RECIPE_NAMES_H_
#define SLIPSTREAM_CORE_RECIPE_RECIPE_NAMES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/recipe/recipe.h"

namespace slipstream {

// The tables of rows that recipes choose from; core's own by default.
struct RecipeTables {
  absl::Span<const PriorRow* const> priors = PriorRows();
  absl::Span<const CalibrationRow* const> calibrations = CalibrationRows();
  absl::Span<const AcquisitionRow* const> acquisitions = AcquisitionRows();
  absl::Span<const ExplorationRow* const> explorations = ExplorationRows();
  absl::Span<const InitialRow* const> initials = InitialRows();
};

// Names on each axis and options by name; what is empty stays as it is.
struct RecipeChange {
  std::string prior = {};
  std::string calibration = {};
  std::string acquisition = {};
  std::string initial = {};
  std::string exploration = {};
  std::map<std::string, double> options = {};

  bool empty() const {
    return prior.empty() && calibration.empty() && acquisition.empty() && initial.empty() &&
           exploration.empty() && options.empty();
  }
};

// An ingredient that replaces another takes over the options that the two share. An option of an
// ingredient that the recipe does not have is checked and then has no effect.
// INVALID_ARGUMENT, an InvalidField on "prior", "options[ucb_multiplier]", ..., that names what
// would be accepted, or the two ingredients that do not go together, and why.
absl::StatusOr<Recipe> ChangedRecipe(const Recipe& base, const RecipeChange& change,
                                     const RecipeTables& tables = RecipeTables());

// Refuses options of `change` that have no effect on `changed`, which ChangedRecipe made by it,
// because none of its ingredients has them: an InvalidField on the option, which names those that
// have it.
absl::Status CheckOptionsHaveEffect(const Recipe& changed, const RecipeChange& change);

// The names of a recipe's ingredients; no options.
RecipeChange NamesOf(const Recipe& recipe);
// The same with the values of all of its options that are given: ChangedRecipe makes the same
// recipe from them.
RecipeChange DescriptionOf(const Recipe& recipe);

// One number that a recipe can have changed.
struct RecipeOption {
  OptionInfo info;
  std::optional<double> default_value;   // Empty: not given; the summary says what then.
  std::vector<std::string> ingredients;  // The ones that have it, such as "acquisition ucb".
};
std::vector<RecipeOption> RecipeOptions(const RecipeTables& tables = RecipeTables());

// One ingredient that a recipe can name.
struct RecipeIngredient {
  std::string axis;  // "prior", "calibration", ...; "model" for what every recipe has.
  const Ingredient* about = nullptr;
};
std::vector<RecipeIngredient> RecipeIngredients(const RecipeTables& tables = RecipeTables());

// "does not go together with fixed, which leaves it nothing to estimate".
std::string DescribeConflict(const Conflict& conflict);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_RECIPE_RECIPE_NAMES_H_
