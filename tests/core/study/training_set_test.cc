#include "core/study/training_set.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

void Add(FakeStudy& study, double x, std::optional<double> value,
         Ending ending = Ending::kMeasured) {
  EndedTrial trial;
  trial.number = ++study.last_trial;
  trial.configuration = {{Value::Double(x), Value::Double(0)}};
  trial.value = value;
  trial.ending = ending;
  study.ended.push_back(trial);
}

TEST(LargestCost, IsAsFarBehindTheMedianAsItsReachSays) {
  const std::vector<double> costs = {9, 1, 2, 3, 4, 5, 6, 7, 8, 1e9};
  EXPECT_EQ(LargestCost(costs, {}, 10), 5 + 10 * (5 - 1));
  EXPECT_EQ(LargestCost(costs, {}, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(LargestCost({1, 2, 1e9}, {}, 10), std::numeric_limits<double>::infinity()) << "too few";
  EXPECT_EQ(LargestCost({1, 1, 1, 1, 1, 1, 7, 8, 9, 1e9}, {}, 10),
            std::numeric_limits<double>::infinity());
}

TEST(CrowdingWeights, CountCrowdedPointsTogetherLikeOne) {
  PointMatrix x(5, 2);
  x << 0.5, 0.5, 0.55, 0.5, 0.5, 0.58, 0.9, 0.5, 0.1, 0.1;
  EXPECT_THAT(CrowdingWeights(x), ::testing::ElementsAre(1 / 3.0, 1 / 3.0, 1 / 3.0, 1, 1));
}

TEST(LargestCost, TakesTheMedianOfTheWeights) {
  const std::vector<double> costs = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 20, 30, 40};
  EXPECT_EQ(LargestCost(costs, std::vector<double>(10, 0.25), 10), LargestCost(costs, {}, 10));
  const std::vector<double> weights = {.1, .1, .1, .1, .1, .1, .1, 1, 1, 1};
  EXPECT_EQ(LargestCost(costs, weights, 10), 30 + 10 * (30 - 1));
}

TEST(TrainingSet, HoldsMeasuredConfigurationsInTheirOrderOnTheModelsScale) {
  FakeStudy study(SquareSpace(), {}, Goal::kMinimize);
  Add(study, 0.5, 10);
  Add(study, 0.1, std::nullopt, Ending::kFailed);
  Add(study, 0.2, 30);
  Add(study, 0.9, std::nullopt, Ending::kStopped);
  Add(study, 0.7, std::nullopt, Ending::kInfeasible);
  Add(study, 0.3, 20);
  const TrainingSet set = CollectTrainingSet(study.view(), {});
  ASSERT_EQ(set.data.y.size(), 3);
  EXPECT_EQ(set.data.x.col(0), (Vector(3) << 0.5, 0.2, 0.3).finished());
  EXPECT_NEAR(set.data.y[0], 1, 1e-12);
  EXPECT_NEAR(set.data.y[1], -1, 1e-12);
  EXPECT_NEAR(set.data.y[2], 0, 1e-12);
  EXPECT_EQ(set.measured, 3u);
  ASSERT_EQ(set.infeasible.rows(), 1);
  EXPECT_EQ(set.infeasible(0, 0), 0.7);
}

TEST(TrainingSet, StoppedTrialsWithAValueCountLikeMeasuredOnes) {
  FakeStudy study(SquareSpace());
  Add(study, 0.5, 1);
  Add(study, 0.2, 4, Ending::kStopped);
  Add(study, 0.9, std::nullopt, Ending::kStopped);
  Add(study, 0.1, 7, Ending::kFailed);
  const TrainingSet set = CollectTrainingSet(study.view(), {});
  ASSERT_EQ(set.data.y.size(), 2);
  EXPECT_EQ(set.data.x.col(0), (Vector(2) << 0.5, 0.2).finished());
  EXPECT_NEAR(set.transform.Invert(set.data.y[1]), 4, 1e-12);
  EXPECT_EQ(set.measured, 2u);
}

// Costs 1 to `count`, then one that is far off.
FakeStudy StudyWithOutlier(int count, double outlier) {
  FakeStudy study(SquareSpace(), {}, Goal::kMinimize);
  for (int i = 1; i <= count; ++i) Add(study, 0.01 * i, i);
  Add(study, 0.9, outlier);
  return study;
}

TEST(TrainingSet, ResultsFarBehindTheMedianCountAsTheFarthestThatIsWithinReach) {
  TrainingSetOptions options;
  options.reach = 10;
  const TrainingSet set = CollectTrainingSet(StudyWithOutlier(20, 1e9).view(), options);
  EXPECT_EQ(set.limited, 1u);
  // The median of 21 is 11, which is 10 above the best.
  EXPECT_NEAR(set.transform.Invert(set.data.y[20]), 11 + 10 * 10, 1e-9);
  EXPECT_NEAR(set.transform.Invert(set.data.y[19]), 20, 1e-9);
  EXPECT_LT(set.data.y[20], set.data.y[19]);
}

TEST(TrainingSet, TheGoalDecidesWhichSideIsLimited) {
  TrainingSetOptions options;
  options.reach = 10;
  FakeStudy study = StudyWithOutlier(20, 1e9);
  study.goal = Goal::kMaximize;
  EXPECT_EQ(CollectTrainingSet(study.view(), options).limited, 0u);
  study.ended.back().value = -1e9;
  const TrainingSet set = CollectTrainingSet(study.view(), options);
  EXPECT_EQ(set.limited, 1u);
  // The median of 21 is 10, which is 10 below the best.
  EXPECT_NEAR(set.transform.Invert(set.data.y[20]), 10 - 10 * 10, 1e-9);
}

TEST(TrainingSet, NothingIsLimitedWithoutAReachAmongFewOrWhereHalfAreEqual) {
  TrainingSetOptions options;
  EXPECT_EQ(CollectTrainingSet(StudyWithOutlier(20, 1e9).view(), options).limited, 0u);
  options.reach = 10;
  EXPECT_EQ(CollectTrainingSet(StudyWithOutlier(8, 1e9).view(), options).limited, 0u);
  EXPECT_EQ(CollectTrainingSet(StudyWithOutlier(9, 1e9).view(), options).limited, 1u);
  FakeStudy equal = StudyWithOutlier(20, 1e9);
  for (size_t i = 0; i < 12; ++i) equal.ended[i].value = 1;
  EXPECT_EQ(CollectTrainingSet(equal.view(), options).limited, 0u);
}

TEST(TrainingSet, ReachDoesNotOverflow) {
  TrainingSetOptions options;
  options.reach = 10;
  FakeStudy study = StudyWithOutlier(20, 1.7e308);
  study.ended[0].value = -1.7e308;
  const TrainingSet set = CollectTrainingSet(study.view(), options);
  EXPECT_TRUE(set.data.y.allFinite());
}

TEST(TrainingSet, ManyFailuresLeaveRoomForInfeasiblePointsAndTheOtherWayRound) {
  FakeStudy study(SquareSpace());
  TrainingSetOptions options;
  options.most_without_value = 5;
  const auto counts = [&] {
    const TrainingSet set = CollectTrainingSet(study.view(), options);
    return std::make_pair(set.infeasible.rows(), set.failed.rows());
  };
  for (int i = 0; i < 2; ++i) Add(study, 0.1 * i, std::nullopt, Ending::kInfeasible);
  EXPECT_EQ(counts(), std::make_pair(Index{2}, Index{0}));
  for (int i = 0; i < 9; ++i) Add(study, 0.1 * i, std::nullopt, Ending::kFailed);
  EXPECT_EQ(counts(), std::make_pair(Index{2}, Index{3}));
  EXPECT_EQ(CollectTrainingSet(study.view(), options).failed(2, 0), 0.8) << "the latest";
  for (int i = 0; i < 9; ++i) Add(study, 0.1 * i, std::nullopt, Ending::kInfeasible);
  EXPECT_EQ(counts(), std::make_pair(Index{3}, Index{2}));
}

TEST(TrainingSet, AnOnlyConfigurationLiesWhereItIsToldTo) {
  FakeStudy study(SquareSpace(), {}, Goal::kMinimize);
  Add(study, 0.5, 8);
  Add(study, 0.5, 12);
  TrainingSetOptions options;
  EXPECT_EQ(CollectTrainingSet(study.view(), options).data.y[0], 0);
  options.only_result_at = 0.75;
  const TrainingSet set = CollectTrainingSet(study.view(), options);
  EXPECT_NEAR(set.data.y[0], 0.75, 1e-12);
  EXPECT_NEAR(set.transform.Invert(0.75), 10, 1e-12);
  EXPECT_GT(set.transform.Apply(9), 0.75);
  Add(study, 0.2, 20);
  EXPECT_NEAR(CollectTrainingSet(study.view(), options).data.y.sum(), 0, 1e-12);
}

TEST(TrainingSet, MergesRepeatsIntoTheirMean) {
  FakeStudy study(SquareSpace());
  Add(study, 0.5, 1);
  Add(study, 0.2, 4);
  Add(study, 0.5, 2);
  Add(study, 0.5, 6);
  const TrainingSet set = CollectTrainingSet(study.view(), {});
  ASSERT_EQ(set.data.y.size(), 2);
  EXPECT_NEAR(set.transform.Invert(set.data.y[0]), 3, 1e-12);
  EXPECT_EQ(set.data.repeats, (Vector(2) << 3, 1).finished());
  const double scale = std::pow(set.transform.Apply(4) - set.transform.Apply(3), 2);
  EXPECT_NEAR(set.data.spreads[0], (4 + 1 + 9) * scale, 1e-12);
  EXPECT_EQ(set.data.spreads[1], 0);
  EXPECT_EQ(set.measured, 4u);
  EXPECT_EQ(set.different, 2u);
}

TEST(TrainingSet, KeepsTheBestAndAnEvenSpreadOfTooManyResults) {
  FakeStudy study(SquareSpace());
  for (int i = 0; i < 100; ++i) Add(study, i / 100.0, i < 50 ? i : 0.5 * (100 - i) - 60);
  TrainingSetOptions options;
  options.most = 20;
  const TrainingSet set = CollectTrainingSet(study.view(), options);
  ASSERT_EQ(set.used, 20u);
  EXPECT_EQ(set.different, 100u);
  std::vector<int> kept;
  for (Index i = 0; i < 20; ++i)
    kept.push_back(static_cast<int>(std::lround(set.data.x(i, 0) * 100)));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  for (int best = 40; best < 50; ++best) EXPECT_THAT(kept, ::testing::Contains(best));
  for (int decade : {0, 10, 20, 30, 50, 60, 70, 80, 90}) {
    EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [&](int place) {
      return place >= decade && place < decade + 10;
    })) << decade;
  }
}

TEST(TrainingSet, FitsFollowAScheduleThatGrowsByATenth) {
  EXPECT_EQ(ScheduledFitSize(1), 1);
  EXPECT_EQ(ScheduledFitSize(100), 100);
  EXPECT_EQ(ScheduledFitSize(109), 100);
  EXPECT_EQ(ScheduledFitSize(110), 110);
  EXPECT_EQ(ScheduledFitSize(120), 110);
  EXPECT_EQ(ScheduledFitSize(121), 121);
  Index last = 1;
  for (Index size = 1; size <= 2000; ++size) {
    const Index fit = ScheduledFitSize(size);
    EXPECT_LE(fit, size);
    EXPECT_GE(fit, last);
    EXPECT_GT(static_cast<double>(fit) * 1.1 + 1, static_cast<double>(size));
    last = fit;
  }
}

}  // namespace
}  // namespace slipstream
