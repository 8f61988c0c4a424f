#include "core/stopping/cost_curve.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/core/stopping/hand_made_study.h"

namespace slipstream {
namespace {

constexpr double kHuge = std::numeric_limits<double>::max();

LearningCurve CurveOf(const std::vector<StepValue>& reports) {
  LearningCurve curve;
  curve.reports = reports;
  return curve;
}

TEST(CostCurveTest, LiesOnTheLineBetweenReports) {
  const std::vector<StepValue> reports = {{2, 10}, {4, 20}, {8, 0}};
  const CostCurve curve(Goal::kMinimize, CurveOf(reports));
  EXPECT_EQ(curve.At(2), 10);
  EXPECT_EQ(curve.At(3), 15);
  EXPECT_EQ(curve.At(5), 15);
  EXPECT_EQ(curve.At(8), 0);
}

TEST(CostCurveTest, HasItsFirstValueBeforeTheFirstReport) {
  const std::vector<StepValue> reports = {{5, 3}, {6, 1}};
  const CostCurve curve(Goal::kMinimize, CurveOf(reports));
  EXPECT_EQ(curve.At(0), 3);
  EXPECT_EQ(curve.BestUpTo(4), 3);
}

TEST(CostCurveTest, ReachesTheStepOfItsLastReport) {
  const std::vector<StepValue> reports = {{5, 3}, {9, 1}};
  const CostCurve curve(Goal::kMinimize, CurveOf(reports));
  EXPECT_TRUE(curve.HasReached(9));
  EXPECT_FALSE(curve.HasReached(10));
  const int64_t first = curve.first_step();
  EXPECT_TRUE(curve.HasValueBy(first));
  EXPECT_FALSE(curve.HasValueBy(first - 1));
  EXPECT_FALSE(curve.HasValueBy(10));
}

TEST(CostCurveTest, TheBestUpToAStepLeavesOutWhatComesLater) {
  const std::vector<StepValue> reports = {{1, 5}, {2, 3}, {3, 4}, {4, 1}};
  const CostCurve curve(Goal::kMinimize, CurveOf(reports));
  EXPECT_EQ(curve.BestUpTo(1), 5);
  EXPECT_EQ(curve.BestUpTo(3), 3);
  EXPECT_EQ(curve.BestUpTo(100), 1);
}

TEST(CostCurveTest, CostsOfAMaximisingStudyAreNegated) {
  const std::vector<StepValue> reports = {{1, 5}, {2, 9}, {4, 7}};
  const CostCurve curve(Goal::kMaximize, CurveOf(reports));
  EXPECT_EQ(curve.At(3), -8);
  EXPECT_EQ(curve.BestUpTo(4), -9);
  EXPECT_EQ(CostText(Goal::kMaximize, -9), "9");
  EXPECT_EQ(CostText(Goal::kMaximize, 0), "0");
}

TEST(CostCurveTest, TheFinalCostIsThatOfTheResultIfThereIsOne) {
  const std::vector<StepValue> reports = {{1, 5}, {2, 4}};
  LearningCurve curve = CurveOf(reports);
  EXPECT_EQ(CostCurve(Goal::kMinimize, curve).FinalCost(), 4);
  curve.final_value = 3;
  EXPECT_EQ(CostCurve(Goal::kMinimize, curve).FinalCost(), 3);
}

TEST(CostCurveTest, HugeValuesDoNotOverflowBetweenReports) {
  const std::vector<StepValue> reports = {{0, -kHuge}, {2, kHuge}};
  EXPECT_EQ(CostCurve(Goal::kMinimize, CurveOf(reports)).At(1), 0);
}

TEST(CostCurveTest, ComparesWithTrialsThatHaveReportedAndNotBroken) {
  HandMadeStudy study;
  study.Other(Level(1, 3));
  study.Other(Level(1, 3), Ending::kFailed);
  study.Other(Level(1, 3), Ending::kStopped);
  study.Other({}, std::nullopt);
  study.Other(Level(1, 3), std::nullopt);
  study.Other(Level(1, 3), Ending::kInfeasible);
  std::swap(study.others().front(), study.others().back());
  std::vector<int64_t> trials;
  for (const CostCurve& curve : ComparedCurves(study.View())) trials.push_back(curve.trial());
  EXPECT_EQ(trials, (std::vector<int64_t>{1, 3, 5}));
}

}  // namespace
}  // namespace slipstream
