// Some recipes of every kind: each two ingredients of different axes meet at
// least once. every_recipe_test.cc has all of them.
#include "tests/core/strategy/recipe_combinations.h"

#include <array>
#include <set>
#include <tuple>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

// Places on the four axes, one for each prior and calibration: along the
// diagonals of these two the others go through all that they have.
using Choice = std::array<size_t, 4>;

Choice ChoiceOf(size_t prior, size_t calibration) {
  return {prior, calibration, (prior + calibration) % AllAcquisitions().size(),
          (prior + 5 * calibration) % AllExplorations().size()};
}

TEST(RecipeCombinations, EachTwoIngredientsMeet) {
  const std::array<size_t, 4> sizes = {AllPriors().size(), AllCalibrations().size(),
                                       AllAcquisitions().size(), AllExplorations().size()};
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = a + 1; b < 4; ++b) {
      std::set<std::array<size_t, 2>> met;
      for (size_t prior = 0; prior < sizes[0]; ++prior) {
        for (size_t calibration = 0; calibration < sizes[1]; ++calibration) {
          const Choice choice = ChoiceOf(prior, calibration);
          met.insert({choice[a], choice[b]});
        }
      }
      EXPECT_EQ(met.size(), sizes[a] * sizes[b]) << a << " " << b;
    }
  }
}

// A calibration, and every third prior from one of the first three on.
class WithCalibration : public testing::TestWithParam<std::tuple<size_t, size_t>> {};

TEST_P(WithCalibration, EachPriorMakesSuggestionsOrIsRefused) {
  const auto [calibration, first_prior] = GetParam();
  CombinationStudies studies;
  size_t refused = 0;
  for (size_t prior = first_prior; prior < AllPriors().size(); prior += 3) {
    const Choice choice = ChoiceOf(prior, calibration);
    const bool is_legal = studies.Try({.prior = AllPriors()[choice[0]],
                                       .calibration = AllCalibrations()[choice[1]],
                                       .acquisition = AllAcquisitions()[choice[2]],
                                       .exploration = AllExplorations()[choice[3]]});
    refused += is_legal ? 0 : 1;
  }
  EXPECT_LE(refused, 1U);
}

INSTANTIATE_TEST_SUITE_P(RecipeCombinations, WithCalibration,
                         testing::Combine(testing::Range<size_t>(0, AllCalibrations().size()),
                                          testing::Range<size_t>(0, 3)));

}  // namespace
}  // namespace slipstream
