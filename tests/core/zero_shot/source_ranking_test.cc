#include "core/zero_shot/source_ranking.h"

#include <cfloat>
#include <limits>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

SourceTaskData Source(Goal goal, const std::vector<double>& values) {
  SourceTaskData source;
  source.goal = goal;
  for (double value : values) source.points.push_back({{}, Ending::kMeasured, value});
  return source;
}

TEST(SourceRanking, BestIsZeroWorstIsOneByTheSourcesOwnGoal) {
  const SourceRanking up(Source(Goal::kMaximize, {1, 5, 3}));
  EXPECT_EQ(up.LossOf(5), 0);
  EXPECT_EQ(up.LossOf(3), 0.5);
  EXPECT_EQ(up.LossOf(1), 1);
  const SourceRanking down(Source(Goal::kMinimize, {1, 5, 3}));
  EXPECT_EQ(down.LossOf(5), 1);
  EXPECT_EQ(down.LossOf(1), 0);
}

TEST(SourceRanking, EqualsShareTheirMeanRank) {
  const SourceRanking ranking(Source(Goal::kMinimize, {1, 2, 2, 2, 9}));
  EXPECT_EQ(ranking.LossOf(2), 0.5);
  const SourceRanking flat(Source(Goal::kMinimize, {4, 4, 4}));
  EXPECT_EQ(flat.LossOf(4), 0.5);
}

TEST(SourceRanking, ValuesInBetweenRankInBetweenAndOutsideAtTheEnds) {
  const SourceRanking ranking(Source(Goal::kMinimize, {0, 1, 2}));
  EXPECT_EQ(ranking.LossOf(0.5), 0.25);
  EXPECT_EQ(ranking.LossOf(1.5), 0.75);
  EXPECT_EQ(ranking.LossOf(-DBL_MAX), 0);
  EXPECT_EQ(ranking.LossOf(DBL_MAX), 1);
}

TEST(SourceRanking, ASinglePointIsAsGoodAsAny) {
  const SourceRanking ranking(Source(Goal::kMaximize, {7}));
  EXPECT_EQ(ranking.LossOf(7), 0);
  EXPECT_EQ(ranking.LossOf(-7), 0);
}

TEST(SourceRanking, OnlyFinalFiniteValuesCount) {
  SourceTaskData source = Source(Goal::kMinimize, {3, 1});
  source.points.push_back({{}, Ending::kStopped, 0.0});
  source.points.push_back({{}, Ending::kFailed, std::nullopt});
  source.points.push_back({{}, Ending::kInfeasible, std::nullopt});
  source.points.push_back({{}, Ending::kMeasured, std::nullopt});
  source.points.push_back({{}, Ending::kMeasured, std::numeric_limits<double>::quiet_NaN()});
  const SourceRanking ranking(source);
  EXPECT_EQ(ranking.measured(), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(ranking.infeasible(), std::vector<size_t>{4});
  EXPECT_EQ(ranking.Best(10, source), (std::vector<size_t>{1, 0}));
}

TEST(SourceRanking, BestAreInOrderOfEqualsTheFirst) {
  const SourceTaskData source = Source(Goal::kMaximize, {2, 9, 4, 9, 9, 1});
  const SourceRanking ranking(source);
  EXPECT_EQ(ranking.Best(4, source), (std::vector<size_t>{1, 3, 4, 2}));
  EXPECT_EQ(ranking.Best(0, source), std::vector<size_t>{});
}

}  // namespace
}  // namespace slipstream
