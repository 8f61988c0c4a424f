#include "tests/evidence/stopping/carried_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/core/stopping/hand_made_study.h"

namespace slipstream::evidence {
namespace {

// In the unit of a study that minimises.
double Carried(Goal goal, const HandMadeStudy& study) {
  const StoppingView view = study.View();
  const double value = CarriedValue(goal, view.running, view.others);
  return goal == Goal::kMinimize ? value : -value;
}

TEST(CarriedValueTest, GoesOnLikeTheMedianOfTheFinishedOnes) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    study.Other(StepByStep({9, 8, 7, 6}));  // -2 from step 2 on.
    study.Other(StepByStep({9, 8, 8, 7}));  // -1
    study.Other(StepByStep({9, 8, 4, 3}));  // -5
    study.Running(StepByStep({10, 9.5}));
    EXPECT_DOUBLE_EQ(Carried(goal, study), 7.5);
  }
}

TEST(CarriedValueTest, AGuessIsAtBestTheBestResult) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    study.Other(StepByStep({9, 8, 3}));
    study.Running(StepByStep({9, 6}));
    EXPECT_EQ(Carried(goal, study), 3);
    study.Running(StepByStep({9, 2}));  // Better than any result as it is.
    EXPECT_EQ(Carried(goal, study), 2);
  }
}

TEST(CarriedValueTest, OnlyFinishedTrainingsAtLeastAsLongCount) {
  HandMadeStudy study;
  study.Other(StepByStep({9, 8, 7, 1}), Ending::kStopped);
  study.Other(StepByStep({9, 8, 7, 1}), std::nullopt);
  study.Other(StepByStep({9, 1}));
  study.Other({});
  study.Running(StepByStep({9, 8, 6}));
  EXPECT_EQ(Carried(Goal::kMinimize, study), 6);
  study.Other(StepByStep({9, 8, 7, 6.5}));
  EXPECT_EQ(Carried(Goal::kMinimize, study), 6);
  study.Running(StepByStep({9, 8, 8}));
  EXPECT_EQ(Carried(Goal::kMinimize, study), 7.5);
}

TEST(CarriedValueTest, GetsWorseWhereTheOthersDo) {
  HandMadeStudy study;
  study.Other(StepByStep({1, 1, 4}));
  study.Running(StepByStep({2, 2}));
  EXPECT_EQ(Carried(Goal::kMinimize, study), 5);
}

TEST(CarriedValueTest, HugeValuesStayFinite) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (const Goal goal : kBothGoals) {
    for (const double first : {-kLargest, 0.0, kLargest}) {
      for (const double last : {-kLargest, 0.0, kLargest}) {
        HandMadeStudy study(goal);
        study.Other(StepByStep({first, last}));
        for (const double value : {-kLargest, 0.0, kLargest}) {
          study.Running(StepByStep({value}));
          EXPECT_TRUE(std::isfinite(Carried(goal, study)));
        }
      }
    }
  }
}

TEST(CarriedValueTest, TheOrderOfTheOthersDoesNotMatter) {
  HandMadeStudy study;
  for (int i = 1; i <= 6; ++i) study.Other(StepByStep({9, 8, 8 - 0.3 * i}));
  study.Running(StepByStep({10, 9}));
  const double before = Carried(Goal::kMinimize, study);
  std::reverse(study.others().begin(), study.others().end());
  EXPECT_EQ(Carried(Goal::kMinimize, study), before);
}

}  // namespace
}  // namespace slipstream::evidence
