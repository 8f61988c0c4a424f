#include "server/convert/preset_conversion.h"

#include <map>
#include <set>
#include <string>

#include "core/recipe/presets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(PresetConversion, TellsEveryPresetWithAllValuesOfItsOptions) {
  const v1::ListPresetsResponse response = PresetsToProto();
  ASSERT_EQ(static_cast<size_t>(response.presets_size()), Presets().size());
  for (const auto& preset : response.presets()) {
    EXPECT_EQ(preset.is_default(), preset.name() == kDefaultPreset);
    EXPECT_EQ(preset.has_recipe(), FindPreset(preset.name())->has_model);
    if (!preset.has_recipe()) continue;
    RecipeChange description{preset.recipe().prior(), preset.recipe().calibration(),
                             preset.recipe().acquisition(), preset.recipe().initial(),
                             preset.recipe().exploration()};
    description.options.insert(preset.recipe().options().begin(), preset.recipe().options().end());
    EXPECT_EQ(*ChangedRecipe(Recipe(), description), FindPreset(preset.name())->recipe)
        << preset.name();
  }
}

TEST(PresetConversion, TellsEveryOptionWithWhereItBelongs) {
  const v1::ListPresetsResponse response = PresetsToProto();
  std::set<std::string> names;
  for (const auto& option : response.options()) {
    EXPECT_TRUE(names.insert(option.name()).second) << option.name();
    EXPECT_LT(option.min(), option.max()) << option.name();
    EXPECT_FALSE(option.summary().empty()) << option.name();
    EXPECT_GT(option.ingredients_size(), 0) << option.name();
    if (option.has_default_value()) {
      EXPECT_GE(option.default_value(), option.min()) << option.name();
      EXPECT_LE(option.default_value(), option.max()) << option.name();
    }
    if (option.name() == "difference_amplitude") {
      EXPECT_THAT(option.ingredients(), Contains("prior scaml"));
      EXPECT_FALSE(option.has_default_value());
    }
  }
  EXPECT_THAT(names, Contains("ucb_multiplier"));
}

TEST(PresetConversion, TellsIngredientsWithTheirSourcesAndConflicts) {
  const v1::ListPresetsResponse response = PresetsToProto();
  std::map<std::string, v1::ListPresetsResponse::Ingredient> ingredients;
  for (const auto& each : response.ingredients()) {
    ingredients[each.axis() + " " + each.name()] = each;
  }
  const auto& cluster = ingredients["prior cluster"];
  EXPECT_THAT(cluster.source(), HasSubstr("cm-BO"));
  EXPECT_THAT(cluster.options(), Contains("residual_amplitude"));
  EXPECT_THAT(cluster.conflicts(),
              Contains(HasSubstr("unless residual_amplitude is given, cannot be combined with "
                                 "calibrations named expanding")));
  EXPECT_FALSE(ingredients["exploration turns"].summary().empty());
  EXPECT_FALSE(ingredients["initial source_portfolio"].source().empty());
}

}  // namespace
}  // namespace slipstream
