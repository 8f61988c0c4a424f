// What every preset is made of, down to the last option, beside a text of it: a preset is a promise
// that studies have stored, and a method of a paper. Where another recipe is wanted, write the text
// anew in a commit that says so:
//
//   SLIPSTREAM_RECORD=1 .build/release/bin/tests/core_recipe_test
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/recipe/presets.h"
#include "core/recipe/recipe_names.h"
#include "gtest/gtest.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

std::string ScaleName(TaskScale scale) {
  switch (scale) {
    case TaskScale::kOwn:
      return "own";
    case TaskScale::kShared:
      return "shared";
    case TaskScale::kAsMeasured:
      return "as measured";
  }
  return "?";
}

template <typename Row>
std::string TextOf(const std::string& axis, const Choice<Row>& choice) {
  std::string text = absl::StrCat("  ", axis, " ", choice.name(), "\n");
  for (const OptionInfo& info : choice.options().Infos()) {
    const std::optional<double> value = choice.options().Get(info.name);
    absl::StrAppend(&text, "    ", info.name, " = ",
                    value.has_value() ? absl::StrFormat("%.17g", *value) : "not given", "\n");
  }
  return text;
}

std::string TextOf(const Preset& preset) {
  std::string text = absl::StrCat(preset.name, ": ", preset.summary, "\n");
  if (!preset.has_model) return text + "  no model\n";
  const Recipe& recipe = preset.recipe;
  absl::StrAppend(&text, TextOf("prior", recipe.prior));
  if (recipe.prior->uses_sources()) {
    absl::StrAppend(&text, "    scale ", ScaleName(TaskScaleOf(recipe)), ", ascents ",
                    recipe.prior->ascents,
                    recipe.prior->follows_acquisition ? ", follows the acquisition" : "", "\n");
  }
  const auto& [base, wrapper, rule] = recipe.calibration;
  absl::StrAppend(&text, TextOf("calibration", base));
  if (wrapper.has_value()) absl::StrAppend(&text, TextOf("calibration's wrapper", *wrapper));
  if (rule.has_value()) absl::StrAppend(&text, TextOf("calibration's rule", *rule));
  absl::StrAppend(&text, TextOf("acquisition", recipe.acquisition),
                  TextOf("exploration", recipe.exploration), TextOf("initial", recipe.initial),
                  TextOf("model", recipe.model));
  return text;
}

TEST(GoldenPresets, AreMadeOfWhatIsWrittenDown) {
  const std::string path = RepositoryPath("tests/core/recipe/golden_presets.txt");
  std::string text;
  for (const Preset& preset : Presets()) absl::StrAppend(&text, TextOf(preset), "\n");
  if (std::getenv("SLIPSTREAM_RECORD") != nullptr) {
    std::ofstream file(path);
    file << text;
    ASSERT_TRUE(file.flush().good());
    return;
  }
  std::ifstream file(path);
  const std::string golden((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  ASSERT_FALSE(golden.empty()) << path;
  EXPECT_EQ(text, golden);
}

}  // namespace
}  // namespace slipstream
