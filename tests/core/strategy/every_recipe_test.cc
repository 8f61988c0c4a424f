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
  const std::string name = EveryCalibration()[calibration];
  CombinationStudies studies;
  size_t legal = 0;
  for (const std::string& acquisition : EveryAcquisition()) {
    for (const std::string& exploration : AllExplorations()) {
      const RecipeChange change{.prior = AllPriors()[prior],
                                .calibration = name,
                                .acquisition = acquisition,
                                .exploration = exploration};
      legal += studies.Try(change) ? 1 : 0;
      if (HasFatalFailure()) return;
    }
  }
  const bool has_no_lengthscales =
      AllPriors()[prior] == "cluster" &&
      (name.rfind("expanding", 0) == 0 || name.rfind("shrinking", 0) == 0);
  const bool has_nothing_to_estimate = name.find("consistent(fixed") != std::string::npos;
  EXPECT_EQ(legal, has_no_lengthscales || has_nothing_to_estimate
                       ? 0
                       : EveryAcquisition().size() * AllExplorations().size());
}

INSTANTIATE_TEST_SUITE_P(All, EveryRecipe,
                         testing::Combine(testing::Range<size_t>(0, AllPriors().size()),
                                          testing::Range<size_t>(0, EveryCalibration().size())));

}  // namespace
}  // namespace slipstream
