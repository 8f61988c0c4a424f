// What holds for every rule of early stopping, on random and on extreme curves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/counter_random.h"
#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kHugest = std::numeric_limits<double>::max();

double Draw(uint64_t seed, uint64_t index) { return CounterRandomUniform(seed, index, 0xe7e); }

std::vector<StepValue> RandomCurve(uint64_t seed, size_t most_steps) {
  const double end = Draw(seed, 1);
  const double start = 1 + Draw(seed, 2);
  const size_t count = 1 + static_cast<size_t>(Draw(seed, 3) * static_cast<double>(most_steps));
  std::vector<StepValue> reports;
  for (size_t i = 1; i <= count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(most_steps);
    const double noise = 0.1 * Draw(seed, 100 + i);
    const bool is_left_out = i < count && Draw(seed, 1000 + i) < 0.2;
    if (is_left_out) continue;
    // Rounded, so that there are ties.
    const double value = std::round(20 * (end + (start - end) * std::exp(-4 * share) + noise)) / 20;
    reports.push_back({static_cast<int64_t>(i), value});
  }
  return reports;
}

// A study of up to 30 random curves in all states.
void FillRandomly(uint64_t seed, HandMadeStudy& study) {
  const auto count = static_cast<uint64_t>(30 * Draw(seed, 0));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t own = seed * 1000 + i;
    const double state = Draw(own, 4);
    std::optional<Ending> ending = Ending::kMeasured;
    if (state < 0.2) ending = Ending::kStopped;
    if (state < 0.1) ending = std::nullopt;
    if (state > 0.9) ending = Ending::kFailed;
    study.Other(RandomCurve(own, 40), ending);
  }
  study.Running(RandomCurve(seed * 1000 + 500, 40));
}

TEST(EveryRuleTest, MaximisingTheNegativeIsMinimising) {
  int stops = 0;
  for (const StoppingRow* row : StoppingRows()) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      HandMadeStudy minimising(Goal::kMinimize);
      HandMadeStudy maximising(Goal::kMaximize);
      FillRandomly(seed, minimising);
      FillRandomly(seed, maximising);
      const bool stop = minimising.Stops(row->about.name);
      EXPECT_EQ(stop, maximising.Stops(row->about.name)) << row->about.name << " " << seed;
      stops += stop ? 1 : 0;
    }
  }
  EXPECT_GT(stops, 60);
}

TEST(EveryRuleTest, TheOrderOfTheOthersDoesNotMatter) {
  for (const StoppingRow* row : StoppingRows()) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      HandMadeStudy study;
      FillRandomly(seed, study);
      const std::string reason = study.Ask(row->about.name, {}).reason;
      std::vector<LearningCurve>& others = study.others();
      std::reverse(others.begin(), others.end());
      EXPECT_EQ(study.Ask(row->about.name, {}).reason, reason);
      std::rotate(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(others.size() / 3),
                  others.end());
      EXPECT_EQ(study.Ask(row->about.name, {}).reason, reason);
    }
  }
}

TEST(EveryRuleTest, TheSameViewGivesTheSameAdvice) {
  for (const StoppingRow* row : StoppingRows()) {
    HandMadeStudy study;
    FillRandomly(7, study);
    const StoppingAdvice first = study.Ask(row->about.name, {});
    const StoppingAdvice second = study.Ask(row->about.name, {});
    EXPECT_EQ(first.stop, second.stop);
    EXPECT_EQ(first.reason, second.reason);
  }
}

// The rule's advice in a study of `others` and `running` with the loosest options there are, so
// that it has to judge.
void ExpectASentence(const StoppingRow& row, const std::vector<std::vector<StepValue>>& others,
                     const std::vector<StepValue>& running) {
  for (const Goal goal : kBothGoals) {
    HandMadeStudy study(goal);
    for (const std::vector<StepValue>& other : others) study.Other(other);
    study.Running(running);
    std::map<std::string, double> options;
    for (const char* name : {"least_curves", "patience", "first_rung"}) {
      if (Choice<StoppingRow>(row).options().Has(name)) options[name] = 1;
    }
    const std::string reason = study.Ask(row.about.name, options).reason;
    EXPECT_THAT(reason, Not(AnyOf(HasSubstr("nan"), HasSubstr("inf")))) << row.about.name;
    EXPECT_TRUE(!reason.empty() && reason.back() == '.') << reason;
  }
}

TEST(EveryRuleTest, ExtremeCurvesGiveASentenceWithoutNan) {
  const std::vector<StepValue> up_and_down = StepByStep({kHugest, -kHugest, kHugest, -kHugest, 0});
  const std::vector<StepValue> one_point = {{0, 0.5}};
  const std::vector<StepValue> far_away = {{int64_t{1} << 60, 1}, {int64_t{1} << 61, 2}};
  const std::vector<StepValue> tiny = StepByStep({5e-324, 1e-310, -5e-324, 0});
  const std::vector<StepValue> level = Level(3, 30);
  const std::vector<std::vector<StepValue>> kinds = {
      up_and_down, one_point, far_away, tiny, level, Level(kHugest, 30), Level(-kHugest, 30)};
  for (const StoppingRow* row : StoppingRows()) {
    for (const std::vector<StepValue>& running : kinds) {
      ExpectASentence(*row, {}, running);
      ExpectASentence(*row, kinds, running);
      for (const std::vector<StepValue>& other : kinds) {
        ExpectASentence(*row, {other}, running);
        ExpectASentence(*row, {other, other, level}, running);
      }
    }
  }
}

TEST(EveryRuleTest, AStudyOfTwoThousandCurvesIsJudged) {
  HandMadeStudy study;
  for (uint64_t i = 0; i < 2000; ++i) study.Other(RandomCurve(i, 100));
  study.Running(Level(50, 60));
  for (const StoppingRow* row : StoppingRows()) {
    EXPECT_EQ(study.Stops(row->about.name), row->about.name != "none") << row->about.name;
  }
}

}  // namespace
}  // namespace slipstream
