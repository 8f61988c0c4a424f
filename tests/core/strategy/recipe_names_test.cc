#include "core/strategy/recipe_names.h"

#include <limits>

#include "core/base/status.h"
#include "core/strategy/presets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

TEST(RecipeNames, EveryPresetsIngredientsHaveNamesThatLeadBack) {
  for (const Preset& preset : Presets()) {
    const RecipeChange names = NamesOf(preset.recipe);
    EXPECT_NE(names.prior, "") << preset.name;
    EXPECT_NE(names.calibration, "") << preset.name;
    EXPECT_NE(names.acquisition, "") << preset.name;
    EXPECT_NE(names.initial, "") << preset.name;
    Recipe base = preset.recipe;
    base.prior = PriorKind::kNone;
    base.calibration = CalibrationKind::kFixed;
    base.acquisition = AcquisitionKind::kThompson;
    base.initial = InitialDesign::kQuasiRandom;
    const auto again = ChangedRecipe(base, names);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, preset.recipe) << preset.name;
  }
}

TEST(RecipeNames, WhatIsNotNamedStays) {
  const Recipe base = FindPreset("deltabo")->recipe;
  EXPECT_EQ(*ChangedRecipe(base, {}), base);
  const Recipe changed = *ChangedRecipe(base, {.acquisition = "ei"});
  EXPECT_EQ(changed.acquisition, AcquisitionKind::kExpectedImprovement);
  EXPECT_EQ(changed.source_sum, base.source_sum);
}

TEST(RecipeNames, EveryOptionChangesSomethingAndKeepsItsBounds) {
  for (const RecipeOption& option : RecipeOptions()) {
    EXPECT_NE(option.summary, "");
    const auto least = ChangedRecipe(Recipe(), {.options = {{option.name, option.least}}});
    const auto most = ChangedRecipe(Recipe(), {.options = {{option.name, option.most}}});
    ASSERT_TRUE(least.ok() && most.ok()) << option.name;
    EXPECT_NE(*least, *most) << option.name;
    for (double outside : {option.least - 1, option.most + 1, option.least + 1e-9 * 0.5,
                           std::numeric_limits<double>::quiet_NaN()}) {
      const bool is_inside = outside >= option.least && outside <= option.most && !option.whole;
      const auto refused = ChangedRecipe(Recipe(), {.options = {{option.name, outside}}});
      EXPECT_EQ(refused.ok(), is_inside) << option.name << " " << outside;
    }
  }
}

TEST(RecipeNames, AnUnknownOneIsRefusedWithWhatThereIs) {
  const auto prior = ChangedRecipe(Recipe(), {.prior = "magic"});
  ASSERT_TRUE(ViolationOf(prior.status()).has_value());
  EXPECT_EQ(ViolationOf(prior.status())->field, "prior");
  EXPECT_EQ(ViolationOf(prior.status())->value, "magic");
  EXPECT_THAT(ViolationOf(prior.status())->bound, HasSubstr("none, delta, stacked"));
  const auto option = ChangedRecipe(Recipe(), {.options = {{"speed", 11}}});
  EXPECT_EQ(ViolationOf(option.status())->field, "options[speed]");
  EXPECT_THAT(ViolationOf(option.status())->bound, HasSubstr("ucb_multiplier"));
}

TEST(RecipeNames, APresetWithoutAModelTakesNoRecipe) {
  EXPECT_TRUE(FindPreset("random")->CreateWith({}).ok());
  const auto refused = FindPreset("random")->CreateWith({.acquisition = "ei"});
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status()));
  EXPECT_THAT(refused.status().message(), HasSubstr("no model"));
  EXPECT_TRUE(FindPreset("gp_log_ei")->CreateWith({.acquisition = "ei"}).ok());
}

}  // namespace
}  // namespace slipstream
