#include "core/stopping/percentile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, double> kAtOnce = {{"grace_steps", 1}};

// Others that stay at 1, 2, ..., `count` for 10 steps.
void AddLevels(HandMadeStudy& study, int count, size_t steps = 10) {
  for (int value = 1; value <= count; ++value) study.Other(Level(value, steps));
}

TEST(PercentileTest, IsOnTheLineBetweenOrderedNumbers) {
  EXPECT_EQ(PercentileOf({3, 1, 2}, 50), 2);
  EXPECT_EQ(PercentileOf({4, 1, 3, 2}, 50), 2.5);
  EXPECT_EQ(PercentileOf({4, 1, 3, 2, 5}, 25), 2);
  EXPECT_EQ(PercentileOf({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(PercentileOf({4, 1, 3, 2}, 100), 4);
  EXPECT_EQ(PercentileOf({7}, 30), 7);
}

TEST(MedianRuleTest, StopsWhatIsWorseThanTheMedianAndNotWhatEqualsIt) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    AddLevels(study, 5);
    study.Running(Level(3, 4));
    EXPECT_FALSE(study.Stops("median", kAtOnce));
    study.Running(Level(3.001, 4));
    EXPECT_TRUE(study.Stops("median", kAtOnce));
  }
}

TEST(MedianRuleTest, TakesTheBestSoFarOfTheRunningAndOfTheOthers) {
  HandMadeStudy study;
  for (int i = 0; i < 5; ++i) study.Other(StepByStep({2, 9, 9, 1}));
  study.Running(StepByStep({2, 50, 50}));
  EXPECT_FALSE(study.Stops("median", kAtOnce));
  study.Running(StepByStep({2.5, 50, 8}));
  EXPECT_TRUE(study.Stops("median", kAtOnce));
}

TEST(MedianRuleTest, NeedsSoManyOthersAtTheStep) {
  HandMadeStudy study;
  AddLevels(study, 4);
  study.Other(Level(1, 5));
  study.Running(Level(9, 5));
  EXPECT_TRUE(study.Stops("median", {{"least_curves", 5}}));
  EXPECT_FALSE(study.Stops("median", {{"least_curves", 6}}));
  study.Running(Level(9, 6));  // One of the others has ended before.
  const StoppingAdvice advice = study.Ask("median", {{"least_curves", 5}});
  EXPECT_FALSE(advice.stop);
  EXPECT_THAT(advice.reason, HasSubstr("Only 4 others have a value for step 6"));
}

TEST(MedianRuleTest, CountsRunningAndStoppedTrialsButNotBrokenOnes) {
  HandMadeStudy study;
  study.Other(Level(1, 5), std::nullopt);
  study.Other(Level(2, 5), Ending::kStopped);
  study.Other(Level(3, 5));
  study.Other(Level(0, 5), Ending::kFailed);
  study.Other(Level(0, 5), Ending::kInfeasible);
  study.Running(Level(2, 5));
  EXPECT_FALSE(study.Stops("median", {{"least_curves", 3}}));
  EXPECT_FALSE(study.Stops("median", {{"least_curves", 4}}));
  study.Running(Level(2.5, 5));
  EXPECT_TRUE(study.Stops("median", {{"least_curves", 3}}));
}

TEST(MedianRuleTest, ActsFromTheStepOnThatItIsTold) {
  HandMadeStudy study;
  AddLevels(study, 5);
  study.Running(Level(9, 3));
  EXPECT_FALSE(study.Stops("median", {{"grace_steps", 4}}));
  study.Running(Level(9, 4));
  EXPECT_TRUE(study.Stops("median", {{"grace_steps", 4}}));
}

TEST(MedianRuleTest, ComparesAtTheRunningOnesStepWhereOthersReportSeldom) {
  HandMadeStudy study;
  for (int i = 0; i < 5; ++i) study.Other({{5, 4}, {10, 1}});
  study.Running({{7, 3}});
  EXPECT_FALSE(study.Stops("median", kAtOnce));  // Their best by then was 4.
  study.Running({{10, 3}});
  EXPECT_TRUE(study.Stops("median", kAtOnce));
}

TEST(MedianRuleTest, WhatOthersReportedLaterOnlyDoesNotCount) {
  HandMadeStudy study;
  for (int i = 0; i < 5; ++i) study.Other({{1000, 0.1}});
  study.Running(Level(9, 3));
  EXPECT_THAT(study.Ask("median", kAtOnce).reason,
              HasSubstr("Only 0 others have a value for step 3"));
  study.Running({{1, 9}, {1000, 9}});
  EXPECT_TRUE(study.Stops("median", kAtOnce));
}

TEST(MedianRuleTest, SaysWhyWithNumbers) {
  HandMadeStudy study(Goal::kMaximize);
  for (int i = 0; i < 5; ++i) study.Other(Level(-0.9, 8));
  study.Running(Level(-0.75, 6));
  EXPECT_EQ(study.Ask("median", {}).reason,
            "Its best value up to step 6, 0.75, is worse than 0.9, the median of the 5 others that "
            "got this far.");
}

TEST(PercentileRuleTest, KeepsTheShareThatItIsTold) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    AddLevels(study, 5);
    study.Running(Level(2, 3));
    EXPECT_FALSE(study.Stops("percentile", {{"percentile", 25}, {"grace_steps", 1}}));
    study.Running(Level(2.5, 3));
    EXPECT_TRUE(study.Stops("percentile", {{"percentile", 25}, {"grace_steps", 1}}));
    EXPECT_FALSE(study.Stops("percentile", {{"percentile", 50}, {"grace_steps", 1}}));
    study.Running(Level(5, 3));
    EXPECT_FALSE(study.Stops("percentile", {{"percentile", 100}, {"grace_steps", 1}}));
  }
}

}  // namespace
}  // namespace slipstream
