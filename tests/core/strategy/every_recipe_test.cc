// Every legal combination of a prior, a calibration, an acquisition and an
// exploration.
#include <tuple>

#include "gtest/gtest.h"
#include "tests/core/strategy/recipe_combinations.h"

namespace slipstream {
namespace {

class EveryRecipe : public testing::TestWithParam<std::tuple<size_t, size_t>> {};

TEST_P(EveryRecipe, MakesFiveSuggestionsOnEachKindOfSpaceOrIsRefused) {
  const auto [prior, calibration] = GetParam();
  CombinationStudies studies;
  size_t legal = 0;
  for (const std::string& acquisition : AllAcquisitions()) {
    for (const std::string& exploration : AllExplorations()) {
      const RecipeChange change{.prior = AllPriors()[prior],
                                .calibration = AllCalibrations()[calibration],
                                .acquisition = acquisition,
                                .exploration = exploration};
      legal += studies.Try(change) ? 1 : 0;
      if (HasFatalFailure()) return;
    }
  }
  const std::string& name = AllCalibrations()[calibration];
  const bool has_no_lengthscales =
      AllPriors()[prior] == "cluster" &&
      (name.rfind("expanding", 0) == 0 || name.rfind("shrinking", 0) == 0);
  EXPECT_EQ(legal, has_no_lengthscales ? 0 : AllAcquisitions().size() * AllExplorations().size());
}

INSTANTIATE_TEST_SUITE_P(All, EveryRecipe,
                         testing::Combine(testing::Range<size_t>(0, AllPriors().size()),
                                          testing::Range<size_t>(0, AllCalibrations().size())));

}  // namespace
}  // namespace slipstream
