// What people call the ingredients of recipes, and how they mix their own: a
// preset's recipe with some of its ingredients and options replaced.
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
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/recipe/recipe.h"

namespace slipstream {

// Names on each axis; what is empty stays as it is.
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

// INVALID_ARGUMENT, an InvalidField on "prior", "options[ucb_multiplier]", ...,
// that names what would be accepted, or the two ingredients that do not go
// together, and why.
absl::StatusOr<Recipe> ChangedRecipe(const Recipe& base, const RecipeChange& change);

// INVALID_ARGUMENT as above where two ingredients do not go together.
absl::Status CheckRecipe(const Recipe& recipe);

// The names of a recipe's ingredients; no options.
RecipeChange NamesOf(const Recipe& recipe);

// One number that a recipe can have changed.
struct RecipeOption {
  std::string name;
  double least = 0;
  double most = 0;
  bool whole = false;
  std::string summary;  // One line for people.
};
std::vector<RecipeOption> RecipeOptions();

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_RECIPE_RECIPE_NAMES_H_
