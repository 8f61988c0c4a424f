#include "core/recipe/presets.h"

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

TEST(Presets, NamesAreStoredInStudiesAndStay) {
  EXPECT_EQ(
      absl::StrJoin(PresetNames(), ", "),
      "auto, gp_log_ei, portfolio_gp, gp_hmc, gp_ucb, gp_ei, gp_pi, gp_ts, agpucb_bound, "
      "agpucb_onestep, agpucb_min, agpucb_theory, agpucb_theory_onestep, wang_de_freitas, uhebo, "
      "rabo, random_exp3, portfolio, gp_map, gp_mcmc, deltabo, stacked, "
      "empirical_gp, prototype_sum, learnt_beliefs, scaml, cmbo_wss_wss, cmbo_jef_jef, "
      "cmbo_jef_wss, cmbo_wss_jef, cmbo_wss_wss_bary, "
      "cmbo_global_centre, cmbo_individual, rgpe, rm_gp_ucb, rm_gp_ts, envelope_ei, envelope_ucb, "
      "env_gp, env_gp_updated, diff_gp, hyperbo, collaborative, efficient, source_portfolio, "
      "quasi_random, random");
  for (const Preset& preset : Presets()) EXPECT_EQ(FindPreset(preset.name), &preset);
  EXPECT_NE(FindPreset(kDefaultPreset), nullptr);
  EXPECT_EQ(FindPreset("Random"), nullptr);
  EXPECT_EQ(FindPreset(""), nullptr);
}

TEST(Presets, AreDescribedInALine) {
  for (const Preset& preset : Presets()) {
    EXPECT_FALSE(preset.summary.empty());
    EXPECT_EQ(preset.summary.find('\n'), absl::string_view::npos);
  }
}

TEST(Presets, EachSignsItsSuggestionsWithItsName) {
  for (const Preset& preset : Presets()) {
    const std::string name(preset.name);
    const auto suggestions = MustSuggest(name, FakeStudy(MixedSpace()).view(), 2, 3);
    ASSERT_EQ(suggestions.size(), 2u);
    for (const Suggestion& suggestion : suggestions) {
      EXPECT_EQ(suggestion.provenance.preset, name);
      EXPECT_EQ(suggestion.provenance.rung, Rung::kRecipe);
      EXPECT_TRUE(suggestion.provenance.rung_reason.empty());
      EXPECT_TRUE(IsLegal(*MixedSpace(), suggestion.configuration));
    }
  }
}

// The guide groups presets by their methods: each name stands there, or its group's "cmbo_*".
TEST(Presets, AllStandInTheGuide) {
  std::ifstream file(RepositoryPath("client/README.md"));
  const std::string guide((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  ASSERT_FALSE(guide.empty());
  for (const Preset& preset : Presets()) {
    const std::string name(preset.name);
    const std::string group = name.substr(0, name.find('_')) + "_*";
    EXPECT_TRUE(guide.find("`" + name + "`") != std::string::npos ||
                guide.find("`" + group + "`") != std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace slipstream
