#include "server/convert/preset_conversion.h"

#include <string>

#include "core/recipe/presets.h"
#include "core/recipe/recipe_names.h"

namespace slipstream {
namespace {

using Response = v1::ListPresetsResponse;

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

void AddIngredient(const RecipeIngredient& ingredient, Response& response) {
  Response::Ingredient& entry = *response.add_ingredients();
  entry.set_axis(ingredient.axis);
  entry.set_name(std::string(ingredient.about->name));
  entry.set_summary(std::string(ingredient.about->summary));
  entry.set_source(std::string(ingredient.about->source));
  if (ingredient.about->options != nullptr) {
    for (const OptionInfo& info : ingredient.about->options().Infos()) {
      entry.add_options(std::string(info.name));
    }
  }
  for (const Conflict& conflict : ingredient.about->conflicts) {
    entry.add_conflicts(DescribeConflict(conflict));
  }
}

}  // namespace

v1::ListPresetsResponse PresetsToProto() {
  Response response;
  for (const Preset& preset : Presets()) AddPreset(preset, response);
  for (const RecipeOption& option : RecipeOptions()) AddOption(option, response);
  for (const RecipeIngredient& each : RecipeIngredients()) AddIngredient(each, response);
  return response;
}

}  // namespace slipstream
