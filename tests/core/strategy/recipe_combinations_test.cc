// Some recipes of every kind: each two ingredients of different axes meet at
// least once. every_recipe_test.cc has all of them.
#include "tests/core/strategy/recipe_combinations.h"

#include <array>
#include <set>
#include <utility>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

using Choice = std::array<size_t, 4>;

// Greedily, so that every pair on two axes is there.
std::vector<Choice> PairwiseChoices(const std::array<size_t, 4>& sizes) {
  std::set<std::array<size_t, 4>> missing;  // Axis and place, twice.
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = a + 1; b < 4; ++b) {
      for (size_t i = 0; i < sizes[a]; ++i) {
        for (size_t j = 0; j < sizes[b]; ++j) missing.insert({a, i, b, j});
      }
    }
  }
  const auto pairs_of = [](const Choice& choice) {
    std::vector<std::array<size_t, 4>> pairs;
    for (size_t a = 0; a < 4; ++a) {
      for (size_t b = a + 1; b < 4; ++b) pairs.push_back({a, choice[a], b, choice[b]});
    }
    return pairs;
  };
  std::vector<Choice> choices;
  while (!missing.empty()) {
    Choice best{};
    size_t most = 0;
    Choice choice{};
    for (choice[0] = 0; choice[0] < sizes[0]; ++choice[0]) {
      for (choice[1] = 0; choice[1] < sizes[1]; ++choice[1]) {
        for (choice[2] = 0; choice[2] < sizes[2]; ++choice[2]) {
          for (choice[3] = 0; choice[3] < sizes[3]; ++choice[3]) {
            size_t found = 0;
            for (const auto& pair : pairs_of(choice)) found += missing.count(pair);
            if (found > most) {
              most = found;
              best = choice;
            }
          }
        }
      }
    }
    for (const auto& pair : pairs_of(best)) missing.erase(pair);
    choices.push_back(best);
  }
  return choices;
}

TEST(RecipeCombinations, EachTwoIngredientsGoTogetherOrAreRefused) {
  CombinationStudies studies;
  int legal = 0;
  const auto choices = PairwiseChoices({AllPriors().size(), AllCalibrations().size(),
                                        AllAcquisitions().size(), AllExplorations().size()});
  for (const Choice& choice : choices) {
    legal += studies.Try({.prior = AllPriors()[choice[0]],
                          .calibration = AllCalibrations()[choice[1]],
                          .acquisition = AllAcquisitions()[choice[2]],
                          .exploration = AllExplorations()[choice[3]]})
                 ? 1
                 : 0;
  }
  EXPECT_GE(choices.size(), 117U);
  EXPECT_GE(legal, static_cast<int>(choices.size()) - 10);
}

}  // namespace
}  // namespace slipstream
