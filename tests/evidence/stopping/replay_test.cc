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

double MeanDifference(const std::vector<double>& numbers) {
  double sum = 0;
  double pairs = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t j = 0; j < i; ++j, ++pairs) sum += std::abs(numbers[i] - numbers[j]);
  }
  return sum / pairs;
}

// A reported task, and the best values of 20 orders of it without stopping.
struct WholeTask {
  RecordedTask task;
  std::vector<double> bests = {};
};

std::vector<WholeTask> WholeTasks() {
  const auto tasks = ReadRecordedTasks(CurvesFolder());
  EXPECT_TRUE(tasks.ok()) << tasks.status();
  std::vector<WholeTask> wholes;
  for (const RecordedTask& task : *tasks) {
    if (task.part != "reported") continue;
    wholes.push_back({task});
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const ReplayOrder order = DrawOrder(task, 50, seed);
      wholes.back().bests.push_back(Replay(task, order, *Rule("none"), 4).best_reported.back());
    }
  }
  return wholes;
}

// On average over the tasks and `orders` orders of each, a rule saves half of the steps, and the
// best value that any training reports is no worse than two orders without stopping differ.
TEST(ReplayTest, RulesSaveHalfOfTheStepsAtACostWithinTheNoise) {
  const std::vector<WholeTask> wholes = WholeTasks();
  for (const StoppingRow* row : StoppingRows()) {
    if (row->about.name == "none") continue;
    const auto rule = Rule(std::string(row->about.name));
    const uint64_t orders = row->about.name == "curve" ? 1 : 10;  // It takes a millisecond a step.
    double saved = 0;
    double cost = 0;
    for (const auto& [task, bests] : wholes) {
      const double all_steps = 50 * static_cast<double>(task.curves.front().values.size());
      for (uint64_t seed = 0; seed < orders; ++seed) {
        const ReplayedStudy study = Replay(task, DrawOrder(task, 50, seed), *rule, 4);
        saved += 1 - static_cast<double>(study.steps()) / all_steps;
        cost += std::abs(study.best_reported.back() - bests[seed]) / MeanDifference(bests);
      }
    }
    const double studies = static_cast<double>(wholes.size() * orders);
    EXPECT_GE(saved / studies, 0.5) << row->about.name;
    EXPECT_LE(cost / studies, 1) << row->about.name;
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
