#include "core/exploration/in_vain.h"

#include <limits>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

Vector Results(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

TEST(InVain, CountsResultsSinceTheLastThatWasBetter) {
  EXPECT_EQ(ResultsInVain(Results({}), 0), 0);
  EXPECT_EQ(ResultsInVain(Results({1}), 0), 0);
  EXPECT_EQ(ResultsInVain(Results({1, 2, 0, 2, 1}), 0), 3);
  EXPECT_EQ(ResultsInVain(Results({1, 2, 2.5, 0}), 0.7), 2);
}

// Of trials with these costs, whichever goal they are meant for. The first `added` trials are
// people's own.
template <Index (*count_of)(absl::Span<const EndedTrial>, Goal)>
Index Counted(const std::vector<double>& costs, size_t added = 0) {
  std::vector<EndedTrial> minimized(costs.size());
  for (size_t i = 0; i < costs.size(); ++i) {
    minimized[i].value = costs[i];
    minimized[i].suggested = i >= added;
  }
  std::vector<EndedTrial> maximized = minimized;
  for (EndedTrial& trial : maximized) trial.value = -*trial.value;
  const Index count = count_of(minimized, Goal::kMinimize);
  EXPECT_EQ(count_of(maximized, Goal::kMaximize), count);
  return count;
}

constexpr auto HardlyBetter = [](const std::vector<double>& costs) {
  return Counted<ResultsHardlyBetter>(costs);
};

TEST(InVain, WhatAddsATenThousandthToTheLeadOverTheFirstResultsIsHardlyBetter) {
  EXPECT_EQ(HardlyBetter({}), 0);
  EXPECT_EQ(HardlyBetter({5}), 0);
  EXPECT_EQ(HardlyBetter({5, 5, 5}), 2);
  EXPECT_EQ(HardlyBetter({5, 6, 4.999999}), 0);  // Nothing leads before the third one.
  const std::vector<double> first = {10, 10, 10, 10, 10, 10, 10, 0};
  const auto after = [&](std::vector<double> later) {
    std::vector<double> costs = first;
    costs.insert(costs.end(), later.begin(), later.end());
    return HardlyBetter(costs);
  };
  EXPECT_EQ(after({}), 0);
  EXPECT_EQ(after({-0.0009, 10, -0.0018, -0.0027}), 4);
  EXPECT_EQ(after({-0.0009, 10, -0.002, -0.0021}), 1);
  // The first eight remain what the lead is over.
  EXPECT_EQ(after({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.0009, -0.0018}), 12);
}

TEST(InVain, TrialsWithoutAResultAreNotHardlyBetter) {
  std::vector<EndedTrial> ended(4);
  ended[0].value = 1;
  ended[1].ending = Ending::kFailed;
  ended[2].ending = Ending::kInfeasible;
  ended[3].value = 2;
  EXPECT_EQ(ResultsHardlyBetter(ended, Goal::kMinimize), 1);
}

constexpr auto RandomLooking = [](const std::vector<double>& costs, size_t added = 0) {
  return Counted<RandomLookingInVain>(costs, added);
};

TEST(InVain, SuggestionsThatAreNoBetterThanTheFirstResultsLookRandom) {
  EXPECT_EQ(RandomLooking({}), 0);
  EXPECT_EQ(RandomLooking({4, 3, 2, 1, 5, 6, 7, 8}), 4);
  EXPECT_EQ(RandomLooking({4, 3, 2, 1, 5, 6, 7, 8, 5, 5, 5}), 7);
  EXPECT_EQ(RandomLooking({4, 3, 2, 1, 5, 6, 7, 8, 1.5, 1.5, 1.5, 1.5, 1.5}), 0);
  EXPECT_EQ(RandomLooking({4, 3, 2, 1, 5, 6, 7, 8, 5, 5, 5, 0.5}), 0);  // The last one is best.
}

TEST(InVain, ALongStudyIsComparedWithItsFirstResultsAndNotWithThoseNearTheBest) {
  std::vector<double> costs = {40, 30, 20, 10, 50, 60, 70, 80};
  for (int i = 0; i < 100; ++i) costs.push_back(1 + 0.01 * (i * 7 % 11));
  EXPECT_EQ(RandomLooking(costs), 0);
}

TEST(InVain, PeoplesOwnTrialsWereNotSuggested) {
  std::vector<double> costs = {1};
  for (int i = 0; i < 50; ++i) costs.push_back(2 + i * 7 % 11);
  EXPECT_EQ(RandomLooking(costs), 50);
  EXPECT_EQ(RandomLooking(costs, 51), 0);
  EXPECT_EQ(RandomLooking(costs, 45), 6);
}

bool AreGuessed(const std::vector<double>& costs) {
  std::vector<EndedTrial> minimized;
  std::vector<EndedTrial> maximized;
  for (double cost : costs) {
    EndedTrial trial;
    trial.value = cost;
    minimized.push_back(trial);
    trial.value = -cost;
    maximized.push_back(trial);
  }
  EXPECT_EQ(AreGuesses(minimized, Goal::kMinimize), AreGuesses(maximized, Goal::kMaximize));
  return AreGuesses(minimized, Goal::kMinimize);
}

TEST(InVain, GuessesAreAlikeButForThoseThatAreMuchWorse) {
  EXPECT_TRUE(AreGuessed({2.30, 2.31, 2.30, 2.29, 2.30, 9, 2.30, 2.30}));
  EXPECT_FALSE(AreGuessed({2.30, 2.31, 2.30, 2.29, 2.30, 9, 2.30}));  // Too few to tell.
  EXPECT_FALSE(AreGuessed({2.30, 2.31, 2.30, 2.20, 2.30, 9, 2.30, 2.30}));  // One has learnt.
  EXPECT_FALSE(AreGuessed({2.30, 2.31, 2.30, 2.29, 2.30, 2.5, 2.30, 2.30}));  // None is bad.
  EXPECT_TRUE(AreGuessed({200, 200, 200, 200, 200, 200, 1000, 1000}));
  EXPECT_TRUE(AreGuessed({-0.1, -0.1, -0.1, 5, -0.1, -0.101, -0.1, -0.1}));
}

TEST(InVain, AccuraciesNearOneAreNoGuesses) {
  EXPECT_FALSE(AreGuessed({-0.981, -0.978, -0.985, -0.6, -0.981, -0.99, -0.981, -0.975}));
}

TEST(InVain, TrialsThatWereStoppedEarlyDoNotCount) {
  std::vector<EndedTrial> trials(10);
  for (EndedTrial& trial : trials) trial.value = 2.3;
  trials.front().value = 9;
  EXPECT_TRUE(AreGuesses(trials, Goal::kMinimize));
  trials.front().ending = Ending::kStopped;
  EXPECT_FALSE(AreGuesses(trials, Goal::kMinimize));
}

TEST(InVain, GuessesOfAllOfAStudyCount) {
  std::vector<double> costs = {2.30, 2.31, 2.30, 2.29, 2.30, 9, 2.30, 2.30};
  costs.resize(20, 2.305);
  EXPECT_TRUE(AreGuessed(costs));
  costs.resize(21, 2.305);
  EXPECT_FALSE(AreGuessed(costs));  // What is bad is less than a twentieth.
  costs.push_back(7);
  EXPECT_TRUE(AreGuessed(costs));
  costs.push_back(1.5);
  EXPECT_FALSE(AreGuessed(costs));
}

TEST(InVain, HugeAndTinyResultsAreNoGuesses) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_FALSE(AreGuessed({huge, -huge, huge, -huge, huge, -huge, huge, -huge}));
  EXPECT_FALSE(AreGuessed({0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(AreGuessed({1, 2, 3, 4, 5, 6, 7, 80}));
}

TEST(InVain, TrialsWithoutAValueAreNoGuesses) {
  std::vector<EndedTrial> trials(12);
  for (EndedTrial& trial : trials) trial.ending = Ending::kInfeasible;
  EXPECT_FALSE(AreGuesses(trials, Goal::kMinimize));
}

}  // namespace
}  // namespace slipstream
