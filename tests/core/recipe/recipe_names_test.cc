#include "core/recipe/recipe_names.h"

#include <limits>

#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
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
    EXPECT_NE(names.exploration, "") << preset.name;
    Recipe base = preset.recipe;
    base.prior = PriorKind::kNone;
    base.calibration = CalibrationKind::kFixed;
    base.acquisition = AcquisitionKind::kThompson;
    base.initial = InitialDesign::kQuasiRandom;
    base.exploration = ExplorationKind::kRandom;
    base.is_consistent = !base.is_consistent;
    base.lengthscale_rule = LengthscaleRule::kShrinking;
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

TEST(RecipeNames, CalibrationsWrapEachOther) {
  const auto calibrated = [](const std::string& name) {
    return ChangedRecipe(Recipe(), {.calibration = name});
  };
  for (const std::string name : {"fixed", "mle", "hmc", "consistent(mle)", "expanding(fixed)",
                                 "shrinking(hmc)", "expanding(consistent(map))"}) {
    const auto recipe = calibrated(name);
    ASSERT_TRUE(recipe.ok()) << recipe.status();
    EXPECT_EQ(NamesOf(*recipe).calibration, name);
  }
  EXPECT_EQ(NamesOf(*calibrated("expanding")).calibration, "expanding(map)");
  EXPECT_EQ(NamesOf(*calibrated("shrinking(consistent)")).calibration,
            "shrinking(consistent(map))");
  for (const std::string name : {"expanding(shrinking(map))", "consistent(expanding(map))",
                                 "expanding(map", "expanding()", "mapp", "consistent map"}) {
    const auto refused = calibrated(name);
    ASSERT_TRUE(ViolationOf(refused.status()).has_value()) << name;
    EXPECT_EQ(ViolationOf(refused.status())->field, "calibration");
    EXPECT_THAT(ViolationOf(refused.status())->bound, HasSubstr("expanding or shrinking"));
  }
}

TEST(RecipeNames, WhatDoesNotGoTogetherIsRefusedWithTheReason) {
  const auto refusal = [](const RecipeChange& change) {
    const auto refused = ChangedRecipe(Recipe(), change);
    EXPECT_TRUE(ViolationOf(refused.status()).has_value()) << refused.status();
    return std::string(refused.status().message());
  };
  EXPECT_THAT(refusal({.calibration = "consistent(fixed)"}), HasSubstr("nothing to estimate"));
  EXPECT_THAT(refusal({.prior = "cluster", .calibration = "shrinking(map)"}),
              HasSubstr("no lengthscales to divide"));
  EXPECT_TRUE(ChangedRecipe(Recipe(), {.prior = "cluster",
                                       .calibration = "shrinking(map)",
                                       .options = {{"residual_amplitude", 1}}})
                  .ok());
  EXPECT_THAT(refusal({.prior = "stacked", .options = {{"input_warp", 1}}}),
              HasSubstr("by their plain scale"));
  const RecipeChange theory{.calibration = "expanding(map)", .options = {{"expanding_theory", 1}}};
  EXPECT_THAT(refusal(theory), HasSubstr("the place of ucb's multiplier"));
  EXPECT_TRUE(ChangedRecipe(FindPreset("gp_ucb")->recipe, theory).ok());
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
  EXPECT_TRUE(MakeStrategy(*FindPreset("random"), {}).ok());
  const auto refused = MakeStrategy(*FindPreset("random"), {.acquisition = "ei"});
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status()));
  EXPECT_THAT(refused.status().message(), HasSubstr("no model"));
  EXPECT_EQ(ViolationOf(refused.status())->field, "acquisition");
  EXPECT_EQ(
      ViolationOf(MakeStrategy(*FindPreset("random"), {.options = {{"norm", 2}}}).status())->field,
      "options[norm]");
  EXPECT_TRUE(MakeStrategy(*FindPreset("gp_log_ei"), {.acquisition = "ei"}).ok());
}

}  // namespace
}  // namespace slipstream
