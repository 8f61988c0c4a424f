#include "core/recipe/recipe_names.h"

#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RecipeNames, APresetsDescriptionLeadsBackToIt) {
  const Recipe other = *ChangedRecipe(Recipe(), {.prior = "scaml",
                                                 .calibration = "shrinking(consistent(hmc))",
                                                 .acquisition = "thompson",
                                                 .exploration = "random"});
  for (const Preset& preset : Presets()) {
    const RecipeChange description = DescriptionOf(preset.recipe);
    EXPECT_NE(description.prior, "") << preset.name;
    EXPECT_NE(description.calibration, "") << preset.name;
    EXPECT_NE(description.acquisition, "") << preset.name;
    EXPECT_NE(description.initial, "") << preset.name;
    EXPECT_NE(description.exploration, "") << preset.name;
    const auto again = ChangedRecipe(other, description);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, preset.recipe) << preset.name;
  }
}

TEST(RecipeNames, WhatIsNotNamedStays) {
  const Recipe base = FindPreset("deltabo")->recipe;
  EXPECT_EQ(*ChangedRecipe(base, {}), base);
  const Recipe changed = *ChangedRecipe(base, {.acquisition = "ei"});
  EXPECT_EQ(changed.acquisition.name(), "ei");
  EXPECT_EQ(changed.prior, base.prior);
}

TEST(RecipeNames, OptionsThatTwoIngredientsShareStayWhenOneReplacesTheOther) {
  const Recipe changed = *ChangedRecipe(FindPreset("deltabo")->recipe, {.prior = "scaml"});
  EXPECT_EQ(changed.prior.options().Get("difference_smoothness"), 3);
  EXPECT_EQ(changed.prior.options().Get("most_sources"), 8);
  EXPECT_FALSE(
      ChangedRecipe(changed, {.prior = "rgpe"})->prior.options().Has("difference_smoothness"));
}

// A recipe with the ingredient, which is called as in RecipeOption::ingredients.
Recipe RecipeWith(const std::string& ingredient) {
  const size_t space = ingredient.find(' ');
  const std::string axis = ingredient.substr(0, space);
  const std::string name = ingredient.substr(space + 1);
  RecipeChange change{.acquisition = "ucb"};
  if (axis == "prior") change.prior = name;
  if (axis == "calibration") change.calibration = name;
  if (axis == "acquisition") change.acquisition = name;
  if (axis == "exploration") change.exploration = name;
  if (axis == "initial") change.initial = name;
  const auto recipe = ChangedRecipe(Recipe(), change);
  EXPECT_TRUE(recipe.ok() || name == "expanding") << recipe.status();
  return *recipe;
}

TEST(RecipeNames, EveryOptionChangesEachOfItsIngredientsAndKeepsItsBounds) {
  for (const RecipeOption& option : RecipeOptions()) {
    const std::string name(option.info.name);
    EXPECT_NE(option.info.summary, "") << name;
    ASSERT_FALSE(option.ingredients.empty()) << name;
    for (const std::string& ingredient : option.ingredients) {
      const Recipe base = RecipeWith(ingredient);
      const auto least = ChangedRecipe(base, {.options = {{name, option.info.least}}});
      const auto most = ChangedRecipe(base, {.options = {{name, option.info.most}}});
      ASSERT_TRUE(least.ok() && most.ok()) << name << " of " << ingredient;
      EXPECT_NE(*least, *most) << name << " of " << ingredient;
      EXPECT_EQ(DescriptionOf(*least).options[name], option.info.least) << name;
      EXPECT_EQ(DescriptionOf(*most).options[name], option.info.most) << name;
    }
    for (double outside :
         {option.info.least - 1, option.info.most + 1, option.info.least + 1e-9 * 0.5,
          std::numeric_limits<double>::quiet_NaN()}) {
      const bool is_inside =
          outside >= option.info.least && outside <= option.info.most && !option.info.whole;
      const auto refused = ChangedRecipe(Recipe(), {.options = {{name, outside}}});
      EXPECT_EQ(refused.ok(), is_inside) << name << " " << outside;
    }
  }
}

TEST(RecipeNames, IngredientsThatShareAnOptionSayTheSameOfIt) {
  for (const RecipeOption& option : RecipeOptions()) {
    for (const RecipeIngredient& ingredient : RecipeIngredients()) {
      if (ingredient.about->options == nullptr) continue;
      const OptionSet defaults = ingredient.about->options();
      for (const OptionInfo& info : defaults.Infos()) {
        if (info.name != option.info.name) continue;
        EXPECT_EQ(info, option.info) << ingredient.about->name;
        EXPECT_EQ(defaults.Get(info.name), option.default_value) << ingredient.about->name;
      }
    }
  }
}

TEST(RecipeNames, EveryIngredientIsNamedOnceOnItsAxisAndDescribedInALine) {
  std::set<std::pair<std::string, std::string>> names;
  for (const RecipeIngredient& ingredient : RecipeIngredients()) {
    EXPECT_TRUE(names.emplace(ingredient.axis, std::string(ingredient.about->name)).second);
    EXPECT_FALSE(ingredient.about->summary.empty()) << ingredient.about->name;
    EXPECT_EQ(ingredient.about->summary.find('\n'), absl::string_view::npos);
    for (const Conflict& conflict : ingredient.about->conflicts) {
      EXPECT_THAT(DescribeConflict(conflict), HasSubstr("cannot be combined with"));
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
  const auto warped = ChangedRecipe(Recipe(), {.prior = "stacked", .options = {{"input_warp", 1}}});
  EXPECT_EQ(ViolationOf(warped.status())->field, "options[input_warp]");
  EXPECT_EQ(ViolationOf(warped.status())->value, "1");
  EXPECT_THAT(refusal({.prior = "cluster", .calibration = "shrinking(map)"}),
              HasSubstr("cluster cannot be combined with shrinking, as cluster alone has no "
                        "lengthscales to divide unless the option residual_amplitude is given"));
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
  const auto near = ChangedRecipe(Recipe(), {.prior = "pretraned"});
  EXPECT_THAT(ViolationOf(near.status())->bound, StartsWith("one of pretrained, none, "));
  const auto option = ChangedRecipe(Recipe(), {.options = {{"ucb_multiplyer", 11}}});
  EXPECT_EQ(ViolationOf(option.status())->field, "options[ucb_multiplyer]");
  EXPECT_THAT(ViolationOf(option.status())->bound, StartsWith("an option of ucb_multiplier, "));
}

TEST(RecipeNames, AnOptionWithoutEffectIsRefusedWithWhatHasIt) {
  const auto check = [](const RecipeChange& change) {
    return CheckOptionsHaveEffect(ChangedRecipe(Recipe(), change).value(), change);
  };
  EXPECT_TRUE(check({}).ok());
  EXPECT_TRUE(check({.exploration = "hedge", .options = {{"hedge_rate", 3}}}).ok());
  EXPECT_TRUE(check({.options = {{"noise_deviation", 0.1}}}).ok()) << "of each recipe's model";
  EXPECT_TRUE(check({.calibration = "expanding(map)", .options = {{"norm", 2}}}).ok());
  const absl::Status refused =
      check({.options = {{"hedge_rate", 3}, {"noise_deviation", 0.1}}});
  ASSERT_TRUE(ViolationOf(refused).has_value());
  EXPECT_EQ(ViolationOf(refused)->field, "options[hedge_rate]");
  EXPECT_EQ(ViolationOf(refused)->value, "3");
  EXPECT_THAT(ViolationOf(refused)->bound, HasSubstr("without exploration hedge"));
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
