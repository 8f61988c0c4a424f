#include "server/convert/preset_conversion.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/recipe/presets.h"
#include "core/recipe/recipe_names.h"
#include "core/stopping/stopping_rule.h"

namespace slipstream {
namespace {

using Response = v1::ListPresetsResponse;

// What EarlyStopping names, beside the axes of recipes.
constexpr absl::string_view kStoppingAxis = "stopping";

v1::Recipe RecipeToProto(const RecipeChange& description) {
  v1::Recipe recipe;
  recipe.set_prior(description.prior);
  recipe.set_calibration(description.calibration);
  recipe.set_acquisition(description.acquisition);
  recipe.set_initial(description.initial);
  recipe.set_exploration(description.exploration);
  recipe.mutable_options()->insert(description.options.begin(), description.options.end());
  return recipe;
}

void AddPreset(const Preset& preset, Response& response) {
  Response::Preset& entry = *response.add_presets();
  entry.set_name(std::string(preset.name));
  entry.set_summary(std::string(preset.summary));
  entry.set_is_default(preset.name == kDefaultPreset);
  if (preset.has_model) *entry.mutable_recipe() = RecipeToProto(DescriptionOf(preset.recipe));
}

void AddOption(const RecipeOption& option, Response& response) {
  Response::Option& entry = *response.add_options();
  entry.set_name(std::string(option.info.name));
  entry.set_summary(std::string(option.info.summary));
  entry.set_min(option.info.least);
  entry.set_max(option.info.most);
  entry.set_whole(option.info.whole);
  entry.set_unit(std::string(option.info.unit));
  if (option.default_value.has_value()) entry.set_default_value(*option.default_value);
  entry.mutable_ingredients()->Assign(option.ingredients.begin(), option.ingredients.end());
}

void AddIngredient(absl::string_view axis, const Ingredient& about, Response& response) {
  Response::Ingredient& entry = *response.add_ingredients();
  entry.set_axis(std::string(axis));
  entry.set_name(std::string(about.name));
  entry.set_summary(std::string(about.summary));
  entry.set_source(std::string(about.source));
  if (about.options != nullptr) {
    for (const OptionInfo& info : about.options().Infos()) {
      entry.add_options(std::string(info.name));
    }
  }
  for (const Conflict& conflict : about.conflicts) {
    entry.add_conflicts(DescribeConflict(conflict));
  }
}

// An option that several rules share is one entry, without a default value if they
// differ in it.
void AddStoppingOptions(const Ingredient& about, Response& response) {
  if (about.options == nullptr) return;
  const OptionSet options = about.options();
  for (const OptionInfo& info : options.Infos()) {
    const std::optional<double> value = options.Get(info.name);
    const std::string ingredient = absl::StrCat(kStoppingAxis, " ", about.name);
    const auto known =
        std::find_if(response.mutable_options()->begin(), response.mutable_options()->end(),
                     [&info](const Response::Option& option) {
                       return option.name() == info.name &&
                              absl::StartsWith(option.ingredients(0), kStoppingAxis);
                     });
    if (known == response.mutable_options()->end()) {
      AddOption({info, value, {ingredient}}, response);
      continue;
    }
    if (known->has_default_value() && value != known->default_value()) {
      known->clear_default_value();
    }
    known->add_ingredients(ingredient);
  }
}

}  // namespace

v1::ListPresetsResponse PresetsToProto() {
  Response response;
  for (const Preset& preset : Presets()) AddPreset(preset, response);
  for (const RecipeOption& option : RecipeOptions()) AddOption(option, response);
  for (const RecipeIngredient& each : RecipeIngredients()) {
    AddIngredient(each.axis, *each.about, response);
  }
  for (const StoppingRow* row : StoppingRows()) {
    AddIngredient(kStoppingAxis, row->about, response);
    AddStoppingOptions(row->about, response);
  }
  return response;
}

}  // namespace slipstream
