// That each fact has a meaning is tested where facts are made: strategy/recipe_combinations.cc.
#include "core/study/fact_meanings.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

TEST(MeaningOfFact, IsASentenceForEachNameOrBeginning) {
  EXPECT_THAT(MeaningOfFact("predicted_mean"), HasSubstr("expects here if the trial has a value"));
  EXPECT_THAT(MeaningOfFact("h"), HasSubstr("space of functions"));
  EXPECT_THAT(MeaningOfFact("probability_of_ei"), HasSubstr("how likely"));
  EXPECT_THAT(MeaningOfFact("gain_of_ucb"), HasSubstr("worth"));
  EXPECT_EQ(MeaningOfFact("sources_with_the_opposite_goal"),
            MeaningOfFact("sources_with_opposite_goal"));
}

TEST(MeaningOfFact, IsEmptyForOtherNames) {
  for (const char* name : {"", "predicted", "predicted_mean_", "gain_o", "goal"}) {
    EXPECT_EQ(MeaningOfFact(name), "") << name;
  }
}

}  // namespace
}  // namespace slipstream
