#include "core/stopping/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/gp/normal.h"
#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// A training that comes down to `end` in 40 steps, with a little noise of its own.
std::vector<StepValue> Descent(double end, size_t steps, uint64_t seed = 0) {
  std::vector<double> values;
  for (size_t step = 1; step <= steps; ++step) {
    const double left = std::exp(-static_cast<double>(step) / 8);
    values.push_back(end + 2 * left + 0.005 * CounterRandomNormal(seed, step, 77));
  }
  return StepByStep(values);
}

// Finished trainings that end at 0.5, 0.6, ...
void AddDescents(HandMadeStudy& study, int count) {
  for (int i = 0; i < count; ++i) {
    study.Other(Descent(0.5 + 0.1 * i, 40, static_cast<uint64_t>(i) + 1));
  }
}

TEST(CurveRuleTest, StopsWhatWillNotBeatTheBestAndKeepsWhatMay) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    AddDescents(study, 8);
    study.Running(Descent(1.1, 15, 50));
    EXPECT_TRUE(study.Stops("curve")) << study.Ask("curve", {}).reason;
    study.Running(Descent(0.4, 15, 50));
    EXPECT_FALSE(study.Stops("curve")) << study.Ask("curve", {}).reason;
  }
}

TEST(CurveRuleTest, KnowsThatTrainingsImprove) {
  HandMadeStudy study;
  AddDescents(study, 8);
  study.Running(Descent(0.45, 8, 50));  // At 1.19 now, worse than seven of eight results.
  EXPECT_FALSE(study.Stops("curve")) << study.Ask("curve", {}).reason;
}

TEST(CurveRuleTest, TheThresholdIsAProbability) {
  HandMadeStudy study;
  AddDescents(study, 8);
  study.Running(Descent(0.4, 15, 50));
  EXPECT_FALSE(study.Stops("curve", {{"least_probability", 0}}));
  study.Running(Descent(0.8, 15, 50));
  EXPECT_TRUE(study.Stops("curve", {{"least_probability", 1}}));
}

TEST(CurveRuleTest, NeedsSoManyFinishedCurves) {
  HandMadeStudy study;
  AddDescents(study, 6);
  study.Other(Descent(0.7, 30), std::nullopt);
  study.Other(Descent(0.7, 30), Ending::kStopped);
  study.Running(Descent(2, 15, 50));
  EXPECT_TRUE(study.Stops("curve", {{"least_curves", 6}}));
  const StoppingAdvice advice = study.Ask("curve", {{"least_curves", 7}});
  EXPECT_FALSE(advice.stop);
  EXPECT_THAT(advice.reason, HasSubstr("6 others have finished"));
}

TEST(CurveRuleTest, LearnsFromStoppedOnesToo) {
  HandMadeStudy study;
  AddDescents(study, 5);
  for (uint64_t i = 0; i < 20; ++i) study.Other(Descent(1.5, 12, 100 + i), Ending::kStopped);
  study.Running(Descent(1.5, 6, 50));
  EXPECT_TRUE(study.Stops("curve"));
  study.Running(Descent(0.45, 6, 50));
  EXPECT_FALSE(study.Stops("curve"));
}

TEST(CurveRuleTest, NothingStopsAtTheLastStep) {
  HandMadeStudy study;
  AddDescents(study, 8);
  study.Running(Descent(3, 39, 50));
  EXPECT_TRUE(study.Stops("curve"));
  study.Running(Descent(3, 40, 50));
  EXPECT_FALSE(study.Stops("curve"));
  study.Running(Descent(3, 60, 50));
  EXPECT_FALSE(study.Stops("curve"));
  EXPECT_TRUE(study.Stops("curve", {{"most_steps", 100}}));
}

TEST(CurveRuleTest, GoesOnWhereCurvesDoNotDiffer) {
  HandMadeStudy study;
  for (int i = 0; i < 8; ++i) study.Other(Level(1, 20));
  study.Running(Level(1, 5));
  const StoppingAdvice advice = study.Ask("curve", {});
  EXPECT_FALSE(advice.stop);
  EXPECT_THAT(advice.reason, HasSubstr("differ too little"));
}

TEST(CurveRuleTest, OneThatWentAstrayDoesNotSpoilTheModel) {
  HandMadeStudy study;
  AddDescents(study, 8);
  study.Other(Level(1e9, 40));
  study.Other(Level(1e5, 40));
  study.Running(Descent(1.1, 15, 50));
  EXPECT_TRUE(study.Stops("curve"));
  study.Running(Descent(0.4, 15, 50));
  EXPECT_FALSE(study.Stops("curve"));
}

TEST(CurveRuleTest, LearnsFromAtMostSixtyFourCurves) {
  HandMadeStudy study;
  for (int i = 0; i < 36; ++i) study.Other(Descent(9, 40, static_cast<uint64_t>(i)));
  for (int i = 0; i < 64; ++i) study.Other(Descent(0.5 + 0.01 * i, 40, static_cast<uint64_t>(i)));
  study.Running(Descent(0.8, 15, 50));
  const std::string all = study.Ask("curve", {}).reason;
  for (int i = 0; i < 36; ++i) {
    study.others()[static_cast<size_t>(i)].reports =
        study.others()[static_cast<size_t>(i)].reports.subspan(20);
  }
  EXPECT_EQ(study.Ask("curve", {}).reason, all);  // The first 36 are beyond the latest 64.
}

}  // namespace
}  // namespace slipstream
