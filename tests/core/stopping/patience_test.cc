#include "core/stopping/patience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// Three reports; only a training that stalls stops, the best of all, too.
const std::map<std::string, double> kStalls = {{"patience", 3}, {"catch_up", 0}, {"stop_best", 1}};
// Three reports; what cannot catch up stops as well, but not the best of all.
const std::map<std::string, double> kCatchesUp = {{"patience", 3}};

TEST(PatienceTest, StopsWithTheLastOfTheReportsThatItWaitsFor) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    study.Running(StepByStep({5, 4, 4, 5}));
    EXPECT_FALSE(study.Stops("patience", kStalls));
    study.Running(StepByStep({5, 4, 4, 5, 6}));
    EXPECT_TRUE(study.Stops("patience", kStalls));
  }
}

TEST(PatienceTest, AnImprovementWithinTheLastReportsKeepsItGoing) {
  HandMadeStudy study;
  study.Running(StepByStep({5, 4, 4, 5, 3.999}));
  EXPECT_FALSE(study.Stops("patience", kStalls));
  study.Running(StepByStep({5, 4, 3, 5, 5}));
  EXPECT_FALSE(study.Stops("patience", kStalls));
}

TEST(PatienceTest, TheImprovementHasToBeMoreThanAsked) {
  HandMadeStudy study;
  study.Running(StepByStep({9, 8, 8, 8, 7.5}));
  std::map<std::string, double> options = kStalls;
  options["least_improvement"] = 0.5;
  EXPECT_TRUE(study.Stops("patience", options));
  options["least_improvement"] = 0.49;
  EXPECT_FALSE(study.Stops("patience", options));
}

TEST(PatienceTest, TheBestOfAllGoesOnWhenItStallsUnlessToldOtherwise) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    study.Other(Level(4, 20));
    study.Running(Level(4, 9));
    EXPECT_FALSE(study.Stops("patience", kCatchesUp));
    EXPECT_TRUE(study.Stops("patience", kStalls));
    study.Running(Level(4.001, 9));
    EXPECT_TRUE(study.Stops("patience", kCatchesUp));
  }
}

TEST(PatienceTest, StopsWhatIsTooSlowToCatchUpByTheEnd) {
  // From 10 down by 3 in three reports; at step 4 of 10 there are 6 left, enough for 6 more.
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    study.Other(Level(1, 10));
    study.Running(StepByStep({10, 9, 8, 7}));
    EXPECT_FALSE(study.Stops("patience", kCatchesUp));  // It just reaches 1.
    study.Other(Level(0.9, 10));
    EXPECT_TRUE(study.Stops("patience", kCatchesUp));
    std::map<std::string, double> faster = kCatchesUp;
    faster["catch_up"] = 1.1;
    EXPECT_FALSE(study.Stops("patience", faster));
    faster["catch_up"] = 0;
    EXPECT_FALSE(study.Stops("patience", faster));
  }
}

TEST(PatienceTest, TheEndIsTheLastStepThatItIsToldOrSees) {
  HandMadeStudy study;
  study.Other(Level(0.9, 10));
  study.Running(StepByStep({10, 9, 8, 7}));
  std::map<std::string, double> longer = kCatchesUp;
  longer["most_steps"] = 11;
  EXPECT_FALSE(study.Stops("patience", longer));
  longer["most_steps"] = 4;  // It has come to the end.
  EXPECT_FALSE(study.Stops("patience", longer));
}

TEST(PatienceTest, WithoutAFinishedTrainingOnlyStallsCount) {
  HandMadeStudy study;
  study.Other(Level(0, 10), std::nullopt);
  study.Running(StepByStep({10, 9.9, 9.8, 9.7}));
  EXPECT_FALSE(study.Stops("patience", kCatchesUp));
  study.Running(StepByStep({10, 10, 10, 10}));
  EXPECT_TRUE(study.Stops("patience", kCatchesUp));
}

TEST(PatienceTest, MeasuresThePaceInStepsWhereReportsAreFarApart) {
  HandMadeStudy study;
  study.Other(Level(1, 100));
  // 3 in 30 steps, with 60 left.
  study.Running({{10, 10}, {20, 9}, {30, 8}, {40, 7}});
  EXPECT_FALSE(study.Stops("patience", kCatchesUp));
  study.Other(Level(0.9, 100));
  EXPECT_TRUE(study.Stops("patience", kCatchesUp));
}

TEST(PatienceTest, WaitsForASixthOfATrainingsReportsUnlessToldHowMany) {
  HandMadeStudy study;
  study.Other(Level(1, 60));
  study.Running(Level(5, 10));
  const StoppingAdvice advice = study.Ask("patience", {});
  EXPECT_FALSE(advice.stop);
  EXPECT_EQ(advice.reason, "It has made 10 reports, and it has 10 to improve.");
  study.Running(Level(5, 11));
  EXPECT_TRUE(study.Stops("patience"));
  study.Running({{10, 5}, {20, 5}});  // It reports every tenth step: six reports make a training.
  EXPECT_TRUE(study.Stops("patience"));
  study.Running({{10, 5}});
  EXPECT_FALSE(study.Stops("patience"));
}

TEST(PatienceTest, SaysWhyWithNumbers) {
  HandMadeStudy study;
  study.Running(StepByStep({5, 4, 4, 4.5, 4}));
  EXPECT_EQ(study.Ask("patience", kStalls).reason,
            "In its last 3 reports its best value went from 4 to 4, which is no improvement of "
            "more than 0.");
  study.Other(Level(0.5, 10));
  study.Running(StepByStep({10, 9, 8, 7}));
  EXPECT_THAT(study.Ask("patience", kCatchesUp).reason,
              HasSubstr("from 10 to 7; at that pace it ends at 1, worse than the best of the "
                        "others, 0.5."));
}

}  // namespace
}  // namespace slipstream
