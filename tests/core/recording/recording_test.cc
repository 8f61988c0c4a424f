// Every preset's suggestions are those that were recorded, to the last bit; so are those of recipes
// that mix ingredients and options of several.
//
// The recordings hold for one instruction set and are skipped on others. Where other suggestions
// are wanted, record them anew in a commit that says so:
//
//   SLIPSTREAM_RECORD=1 .build/release/bin/tests/core_recording_test
//
// SLIPSTREAM_EXPLAIN=DIR writes whole provenances to files in DIR, to be compared with those of
// another build.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/instruction_set.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/recording/recorded_study.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

constexpr char kRecordedInstructionSet[] = "x86-64-v3";

struct RecordedRecipe {
  std::string name;  // The recording's.
  std::string preset;
  RecipeChange change = {};
};

// Mixed recipes: options that two ingredients share stay when one replaces the other, and what one
// axis says reaches the others.
std::vector<RecordedRecipe> MixedRecipes() {
  return {
      {"mixed_deltabo_scaml", "deltabo", {.prior = "scaml", .calibration = "map"}},
      {"mixed_deltabo_stacked_hmc", "deltabo", {.prior = "stacked"}},
      {"mixed_scaml_expanding",
       "scaml",
       {.calibration = "expanding(map)",
        .acquisition = "log_ei",
        .options = {{"expanding_estimate", 1}, {"regret_power", 0.999}, {"most_sources", 1}}}},
      {"mixed_deltabo_hedge",
       "deltabo",
       {.calibration = "map",
        .acquisition = "ei",
        .exploration = "hedge",
        .options = {{"hedge_rate", 2}}}},
      {"mixed_cluster_residual",
       "cmbo_jef_jef",
       {.calibration = "shrinking(map)",
        .options = {{"clusters", 2}, {"residual_amplitude", 0.5}, {"shrinking_deviation", 0.3}}}},
      {"mixed_rm_gp_thompson", "rm_gp_ucb", {.acquisition = "thompson"}},
      {"mixed_rm_gp_multiplier",
       "rm_gp_ts",
       {.acquisition = "ucb", .options = {{"ucb_multiplier", 1}, {"rm_gp_decay", 0.9}}}},
      {"mixed_envelope_turns",
       "envelope_ei",
       {.exploration = "turns", .options = {{"drop_misleading", 1}}}},
      {"mixed_portfolio_rewards",
       "uhebo",
       {.exploration = "portfolio",
        .options = {{"running_rewards", 1}, {"exploration_horizon", 10}, {"pseudo_points", 3}}}},
      {"mixed_warped",
       "gp_log_ei",
       {.options = {{"input_warp", 1}, {"output_warp", 2}, {"smoothness", 3}}}},
      {"mixed_diff_gp",
       "diff_gp",
       {.acquisition = "max_value_pi_draws",
        .options = {{"inflate_noise", 0}, {"pooled_points", 10}}}},
      {"mixed_rgpe",
       "rgpe",
       {.initial = "quasi_random",
        .exploration = "random",
        .options = {{"rgpe_loss", 2}, {"rgpe_dilution", 1}, {"rgpe_draws", 50},
                    {"random_share", 0.5}}}},
      {"mixed_pretrained",
       "hyperbo",
       {.calibration = "mle", .options = {{"pretraining", 1}, {"pretrained_mean", 1}}}},
      {"mixed_expanding_theory",
       "agpucb_onestep",
       {.calibration = "expanding(consistent(hmc))",
        .options = {{"expanding_theory", 1}, {"norm", 3}, {"norm_share", 0.2},
                    {"norm_by_half_power", 1}, {"regret_power", 0.99}}}},
      {"mixed_expanding_alone",
       "agpucb_min",
       {.acquisition = "ucb_dimension",
        .options = {{"expanding_coupling", 2}, {"first_lengthscale", 0.5},
                    {"expanding_most", 20}}}},
      {"mixed_env_gp", "env_gp", {.acquisition = "ucb_theory", .options = {{"source_noise", 0.5}}}},
      {"mixed_printed_noise",
       "deltabo",
       {.calibration = "map", .options = {{"printed_noise", 1}}}},
      {"mixed_efficient",
       "efficient",
       {.acquisition = "pi", .exploration = "exp3", .options = {{"pooled_points", 12}}}},
      {"mixed_collaborative",
       "collaborative",
       {.initial = "source_portfolio", .exploration = "hedge"}},
      {"mixed_individual_none", "cmbo_individual", {.prior = "none", .exploration = "alternate"}},
  };
}

std::vector<RecordedRecipe> RecordedRecipes() {
  std::vector<RecordedRecipe> recipes;
  for (const Preset& preset : Presets()) {
    recipes.push_back({std::string(preset.name), std::string(preset.name)});
  }
  for (const RecordedRecipe& mixed : MixedRecipes()) recipes.push_back(mixed);
  return recipes;
}

std::string PathOf(const std::string& name) {
  return RepositoryPath(absl::StrCat("tests/core/recording/recordings/", name, ".txt"));
}

std::vector<std::string> LinesOf(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void WriteLines(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << "\n";
  ASSERT_TRUE(file.flush().good()) << path;
}

class RecordingTest : public ::testing::TestWithParam<RecordedRecipe> {};

INSTANTIATE_TEST_SUITE_P(Recipes, RecordingTest, ::testing::ValuesIn(RecordedRecipes()),
                         [](const auto& test) { return test.param.name; });

TEST_P(RecordingTest, SuggestsWhatWasRecorded) {
  if (InstructionSet() != kRecordedInstructionSet) {
    GTEST_SKIP() << "recorded on " << kRecordedInstructionSet << ", this is " << InstructionSet();
  }
  const RecordedRecipe& recipe = GetParam();
  const auto strategy = MakeStrategy(*FindPreset(recipe.preset), recipe.change);
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  if (const char* folder = std::getenv("SLIPSTREAM_EXPLAIN")) {
    WriteLines(absl::StrCat(folder, "/", recipe.name, ".txt"), Explain(**strategy));
  }
  const std::vector<std::string> lines = Record(**strategy);
  if (std::getenv("SLIPSTREAM_RECORD") != nullptr) return WriteLines(PathOf(recipe.name), lines);
  const std::vector<std::string> recorded = LinesOf(PathOf(recipe.name));
  ASSERT_FALSE(recorded.empty()) << "nothing has been recorded in " << PathOf(recipe.name);
  EXPECT_THAT(lines, ::testing::ElementsAreArray(recorded));
}

}  // namespace
}  // namespace slipstream
