#include "core/stopping/rungs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, double> kThirds = {{"first_rung", 2}, {"reduction_factor", 3}};

TEST(RungsTest, GrowByTheFactorAndAreRoundedUp) {
  EXPECT_EQ(HighestRung(2, 3, 1), std::nullopt);
  EXPECT_EQ(HighestRung(2, 3, 2), 2);
  EXPECT_EQ(HighestRung(2, 3, 5), 2);
  EXPECT_EQ(HighestRung(2, 3, 6), 6);
  EXPECT_EQ(HighestRung(2, 3, 53), 18);
  EXPECT_EQ(HighestRung(1, 2.5, 6), 3);
  EXPECT_EQ(HighestRung(1, 2.5, 7), 7);
  EXPECT_EQ(HighestRung(60.0 / 27, 3, 20), 20);  // 20 and a rounding error.
  EXPECT_GT(HighestRung(1, 2, std::numeric_limits<int64_t>::max()), int64_t{1} << 60);
}

TEST(AshaTest, TheFirstAtARungGoesOnHoweverBadItIs) {
  HandMadeStudy study;
  for (int i = 0; i < 8; ++i) study.Other(Level(1, 5), std::nullopt);
  study.Running(Level(100, 6));  // No other has reached step 6.
  EXPECT_FALSE(study.Stops("asha", kThirds));
}

TEST(AshaTest, OnlyTheBestOfTwoGoesOn) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    study.Other(Level(1, 2), std::nullopt);
    study.Running(Level(2, 2));
    EXPECT_TRUE(study.Stops("asha", kThirds));
    study.Running(Level(0.5, 2));
    EXPECT_FALSE(study.Stops("asha", kThirds));
  }
}

TEST(AshaTest, EqualOnesGoOnTogether) {
  HandMadeStudy study;
  for (int i = 0; i < 8; ++i) study.Other(Level(1, 2), std::nullopt);
  study.Running(Level(1, 2));
  EXPECT_FALSE(study.Stops("asha", kThirds));
}

TEST(AshaTest, KeepsTheBestThirdRoundedDown) {
  // With the running one there are 8, of which 2 go on.
  HandMadeStudy study;
  for (int value = 1; value <= 7; ++value) study.Other(Level(value, 2), Ending::kStopped);
  study.Running(Level(1.5, 2));
  EXPECT_FALSE(study.Stops("asha", kThirds));
  study.Running(Level(2.5, 2));
  EXPECT_TRUE(study.Stops("asha", kThirds));
  study.Other(Level(8, 2), Ending::kStopped);  // Now 3 of 9 go on.
  EXPECT_FALSE(study.Stops("asha", kThirds));
}

TEST(AshaTest, JudgesBetweenRungsAtTheLastOneReached) {
  HandMadeStudy study;
  study.Other(Level(1, 2), std::nullopt);
  study.Running(StepByStep({3, 3, 0, 0, 0}));  // Better since, but not at step 2.
  const StoppingAdvice advice = study.Ask("asha", kThirds);
  EXPECT_TRUE(advice.stop);
  EXPECT_EQ(advice.reason,
            "At step 2, 1 of 1 others were better than its 3, and only the best 1 of 2 go on.");
  study.Running(StepByStep({3, 3, 0, 0, 0, 0}));  // The first at step 6.
  EXPECT_FALSE(study.Stops("asha", kThirds));
}

TEST(AshaTest, TheFirstRungIsAFifthOfTheLongestFinishedTrainingUnlessGiven) {
  HandMadeStudy study;
  for (int i = 0; i < 8; ++i) study.Other(Level(1, 30), std::nullopt);
  study.Running(Level(5, 8));
  EXPECT_FALSE(study.Stops("asha"));  // None has finished.
  study.Other(Level(1, 40));
  EXPECT_TRUE(study.Stops("asha"));
  study.Running(Level(5, 7));
  EXPECT_FALSE(study.Stops("asha"));
}

TEST(AshaTest, NothingStopsAtTheLastStep) {
  HandMadeStudy study;
  study.Other(Level(1, 8));
  study.Running(StepByStep({0, 0, 0, 0, 0, 0, 0, 9}));
  EXPECT_FALSE(study.Stops("asha", {{"first_rung", 8}, {"most_steps", 8}}));
  EXPECT_FALSE(study.Stops("asha", {{"first_rung", 4}, {"reduction_factor", 2}}));
  study.Running(Level(9, 8));
  EXPECT_TRUE(study.Stops("asha", {{"first_rung", 8}, {"most_steps", 9}}));
}

TEST(AshaTest, ActsAtTheFirstRungAndNotBefore) {
  HandMadeStudy study;
  for (int i = 0; i < 8; ++i) study.Other(Level(1, 9));
  study.Running(Level(5, 1));
  EXPECT_FALSE(study.Stops("asha", kThirds));
  study.Running(Level(5, 2));
  EXPECT_TRUE(study.Stops("asha", kThirds));
}

TEST(AshaTest, JudgesByTheReportBeforeTheRungWhereThereIsNoneAtIt) {
  HandMadeStudy study;
  study.Other(Level(2, 2), std::nullopt);
  study.Running({{1, 3}, {4, 0}});
  EXPECT_TRUE(study.Stops("asha", kThirds));
  study.Running({{1, 1}, {4, 9}});
  EXPECT_FALSE(study.Stops("asha", kThirds));
  study.Running({{4, 1}});  // The first report stands for what came before.
  EXPECT_FALSE(study.Stops("asha", kThirds));
}

TEST(AshaTest, ThoseThatReportSeldomAreComparedAtTheirFirstReport) {
  HandMadeStudy study;
  for (int i = 0; i < 9; ++i) study.Other({{10, 1.0}, {20, 1.0}});
  study.Running({{10, 99}});
  const StoppingAdvice advice = study.Ask("asha", {{"first_rung", 4}, {"most_steps", 100}});
  EXPECT_TRUE(advice.stop);
  EXPECT_THAT(advice.reason, testing::StartsWith("At step 10, 9 of 9 others were better"));
}

TEST(AshaTest, WhatOthersReportedLaterOnlyDoesNotCount) {
  HandMadeStudy study;
  for (int i = 0; i < 5; ++i) study.Other({{1000, 0.1}});
  study.Running(Level(9, 3));
  EXPECT_FALSE(study.Stops("asha", {{"first_rung", 1}}));
}

TEST(HyperbandTest, BracketsShareTheTrialsLikeTheirBudgets) {
  // R = 27 and r = 3 make 4 brackets: ceil(4 27/4), ceil(4 9/3), ceil(4 3/2), ceil(4 1/1).
  const std::vector<double> shares = BracketShares(1, 3, 27);
  ASSERT_EQ(shares.size(), 4u);
  const double sum = 27 + 12 + 6 + 4;
  EXPECT_DOUBLE_EQ(shares[0], 27 / sum);
  EXPECT_DOUBLE_EQ(shares[3], 4 / sum);
  EXPECT_EQ(BracketShares(1, 3, 26).size(), 3u);
  EXPECT_EQ(BracketShares(5, 3, 4), std::vector<double>{1});
}

TEST(HyperbandTest, TrialsFallIntoBracketsByTheirNumbersEvenly) {
  const std::vector<double> shares = BracketShares(1, 3, 27);
  std::vector<double> counts(shares.size());
  for (int64_t trial = 1; trial <= 200; ++trial) {
    counts[BracketOf(trial, shares)] += 1;
    for (size_t b = 0; b < shares.size(); ++b) {
      EXPECT_NEAR(counts[b], shares[b] * static_cast<double>(trial), 3) << trial;
    }
  }
}

// A trial's number in that bracket of those with R = 27 and r = 3.
int64_t NumberIn(size_t bracket, int64_t from = 1000) {
  const std::vector<double> shares = BracketShares(1, 3, 27);
  while (BracketOf(from, shares) != bracket) ++from;
  return from;
}

TEST(HyperbandTest, ComparesWithinABracketOnly) {
  HandMadeStudy study;
  study.Other(Level(1, 27));
  study.others().back().trial = NumberIn(1);
  study.Running(Level(5, 1), NumberIn(0));
  EXPECT_FALSE(study.Stops("hyperband", {{"first_rung", 1}, {"reduction_factor", 3}}));
  study.others().back().trial = NumberIn(0, 2000);
  const StoppingAdvice advice =
      study.Ask("hyperband", {{"first_rung", 1}, {"reduction_factor", 3}});
  EXPECT_TRUE(advice.stop);
  EXPECT_THAT(advice.reason, HasSubstr("In bracket 1 of 4: "));
}

TEST(HyperbandTest, LaterBracketsBeginLaterAndTheLastStopsNothing) {
  const std::map<std::string, double> options = {{"first_rung", 1}, {"reduction_factor", 3}};
  for (size_t bracket = 0; bracket < 4; ++bracket) {
    HandMadeStudy study;
    study.Other(Level(1, 27));
    study.others().back().trial = NumberIn(bracket);
    const auto first = static_cast<size_t>(std::lround(std::pow(3, bracket)));
    if (first > 1) {
      study.Running(Level(5, first - 1), NumberIn(bracket, 2000));
      EXPECT_FALSE(study.Stops("hyperband", options)) << bracket;
    }
    study.Running(Level(5, first), NumberIn(bracket, 2000));
    EXPECT_EQ(study.Stops("hyperband", options), bracket < 3) << bracket;
  }
}

TEST(HyperbandTest, NeedsAFinishedTrainingUnlessToldHowLongOneIs) {
  const std::map<std::string, double> unknown = {{"first_rung", 1}, {"reduction_factor", 3}};
  std::map<std::string, double> known = unknown;
  known["most_steps"] = 27;
  HandMadeStudy study;
  study.Other(Level(1, 20), std::nullopt);
  study.others().back().trial = NumberIn(0);
  study.Running(Level(5, 1), NumberIn(0, 2000));
  EXPECT_FALSE(study.Stops("hyperband", unknown));
  EXPECT_TRUE(study.Stops("hyperband", known));
}

TEST(HyperbandTest, NothingStopsAtTheLastStep) {
  HandMadeStudy study;
  study.Other(Level(1, 27));
  study.others().back().trial = NumberIn(0);
  std::vector<double> values(27, 0.0);
  values.back() = 9;
  study.Running(StepByStep(values), NumberIn(0, 2000));
  EXPECT_FALSE(study.Stops("hyperband", {{"first_rung", 1}, {"reduction_factor", 3}}));
}

}  // namespace
}  // namespace slipstream
