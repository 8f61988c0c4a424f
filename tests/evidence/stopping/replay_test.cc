#include "tests/evidence/stopping/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace slipstream::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::SizeIs;

std::unique_ptr<const StoppingRule> Rule(const std::string& name,
                                         const std::map<std::string, double>& options = {}) {
  return *MakeStoppingRule(name, options);
}

// Three trainings of three steps each.
RecordedTask ThreeTrainings() {
  RecordedTask task;
  task.curves = {{{}, {5, 4, 3}}, {{}, {9, 8, 7}}, {{}, {6, 2, 4}}};
  return task;
}

ReplayOrder InOrder(const std::vector<double>& durations) {
  ReplayOrder order;
  for (const double duration : durations) {
    order.trainings.push_back({order.trainings.size(), duration});
  }
  return order;
}

TEST(ReplayTest, WithoutStoppingEveryTrainingIsWhole) {
  const ReplayedStudy study = Replay(ThreeTrainings(), InOrder({1, 1, 1}), *Rule("none"), 2);
  ASSERT_THAT(study.trials, SizeIs(3));
  EXPECT_EQ(study.steps(), 9);
  EXPECT_EQ(study.best_finished, 3);
  EXPECT_EQ(study.best_reported.back(), 2);
}

TEST(ReplayTest, ReportsComeInTheOrderOfTime) {
  // The first worker's steps end at 1, 2, 3; the second's at 1.5, 3, 4.5; the third training
  // begins at 3.
  const ReplayedStudy study = Replay(ThreeTrainings(), InOrder({1, 1.5, 1}), *Rule("none"), 2);
  EXPECT_THAT(study.best_reported, ElementsAre(5, 5, 4, 3, 3, 3, 3, 2, 2));
}

TEST(ReplayTest, AStoppedTrainingEndsAndItsWorkerGoesOn) {
  const ReplayedStudy study =
      Replay(ThreeTrainings(), InOrder({1, 1, 1}), *Rule("asha", {{"first_rung", 1}}), 2);
  EXPECT_FALSE(study.trials[0].is_stopped);
  EXPECT_TRUE(study.trials[1].is_stopped);
  EXPECT_EQ(study.trials[1].steps, 1);
  EXPECT_EQ(study.trials[2].curve, 2u);
}

TEST(ReplayTest, MoreWorkersThanTrainingsAreIdle) {
  EXPECT_EQ(Replay(ThreeTrainings(), InOrder({1, 1, 1}), *Rule("none"), 9).steps(), 9);
}

TEST(ReplayTest, OrdersAreDrawnBySeedWithoutRepeats) {
  RecordedTask task;
  task.curves.resize(100);
  const ReplayOrder order = DrawOrder(task, 50, 3);
  std::set<size_t> curves;
  for (const ReplayOrder::Training& training : order.trainings) {
    curves.insert(training.curve);
    EXPECT_GE(training.duration, 0.5);
    EXPECT_LE(training.duration, 2);
  }
  EXPECT_THAT(curves, SizeIs(50));
  EXPECT_NE(DrawOrder(task, 50, 4).trainings[0].curve, order.trainings[0].curve);
  EXPECT_EQ(DrawOrder(task, 500, 3).trainings.size(), 100u);
}

// What the rule saves and costs on average over the reported tasks and `orders` orders of each: the
// share of the steps; how much worse the best value is that any training reported, in units of the
// mean difference between two orders without stopping.
struct Balance {
  double saved = 0;
  double cost = 0;
};

double MeanDifference(const std::vector<double>& numbers) {
  double sum = 0;
  double pairs = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t j = 0; j < i; ++j, ++pairs) sum += std::abs(numbers[i] - numbers[j]);
  }
  return sum / pairs;
}

// The best values without stopping of 20 orders.
std::vector<double> WholeBests(const RecordedTask& task) {
  std::vector<double> bests;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const ReplayOrder order = DrawOrder(task, 50, seed);
    bests.push_back(Replay(task, order, *Rule("none"), 4).best_reported.back());
  }
  return bests;
}

Balance BalanceOf(const StoppingRule& rule, uint64_t orders) {
  const auto tasks = ReadRecordedTasks(CurvesFolder());
  EXPECT_TRUE(tasks.ok()) << tasks.status();
  Balance sum;
  double studies = 0;
  for (const RecordedTask& task : *tasks) {
    if (task.part != "reported") continue;
    const std::vector<double> whole = WholeBests(task);
    const double all_steps = 50 * static_cast<double>(task.curves.front().values.size());
    for (uint64_t seed = 0; seed < orders; ++seed, ++studies) {
      const ReplayedStudy study = Replay(task, DrawOrder(task, 50, seed), rule, 4);
      sum.saved += 1 - static_cast<double>(study.steps()) / all_steps;
      sum.cost += std::abs(study.best_reported.back() - whole[seed]) / MeanDifference(whole);
    }
  }
  return {sum.saved / studies, sum.cost / studies};
}

TEST(ReplayTest, RulesSaveHalfOfTheStepsAtACostWithinTheNoise) {
  for (const StoppingRow* row : StoppingRows()) {
    if (row->about.name == "none") continue;
    const uint64_t orders = row->about.name == "curve" ? 2 : 10;  // It takes a millisecond each.
    const Balance balance = BalanceOf(*Rule(std::string(row->about.name)), orders);
    EXPECT_GE(balance.saved, 0.5) << row->about.name;
    EXPECT_LE(balance.cost, 1) << row->about.name;
  }
}

TEST(RecordedCurvesTest, EightHundredTrainingsAreThere) {
  const auto tasks = ReadRecordedTasks(CurvesFolder());
  ASSERT_TRUE(tasks.ok()) << tasks.status();
  ASSERT_THAT(*tasks, SizeIs(8));
  for (const RecordedTask& task : *tasks) {
    ASSERT_THAT(task.curves, SizeIs(100));
    for (const RecordedCurve& curve : task.curves) {
      EXPECT_THAT(curve.values, SizeIs(Ge(50u)));
      EXPECT_THAT(curve.parameters, SizeIs(task.parameters.size()));
    }
  }
}

}  // namespace
}  // namespace slipstream::evidence
