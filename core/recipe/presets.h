// The table of presets: every published method is one line here.
#ifndef SLIPSTREAM_CORE_RECIPE_PRESETS_H_
#define SLIPSTREAM_CORE_RECIPE_PRESETS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/recipe/recipe.h"
#include "core/recipe/recipe_names.h"

namespace slipstream {

// Studies store the name and follow what it stands for: it stays when the behaviour changes.
struct Preset {
  absl::string_view name;
  absl::string_view summary;  // One line for people.
  Recipe recipe;              // What it is made of, unless it needs no model.
  bool has_model = true;

  // The recipe with some of its ingredients and options replaced. INVALID_ARGUMENT, an
  // InvalidField with a path inside the recipe, where there is no such ingredient or option, where
  // two do not go together, or where the preset has no model.
  absl::StatusOr<Recipe> With(const RecipeChange& change) const;
};

// All presets, in the order in which people should meet them.
absl::Span<const Preset> Presets();

// Null if there is none of that name.
const Preset* FindPreset(absl::string_view name);

// Names of all presets, in their order.
std::vector<std::string> PresetNames();

// The preset of studies that name none.
inline constexpr absl::string_view kDefaultPreset = "auto";

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_RECIPE_PRESETS_H_
