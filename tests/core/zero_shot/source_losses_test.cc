#include "core/zero_shot/source_losses.h"

#include <cfloat>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

SourceTaskData LineSource(const std::vector<std::pair<double, double>>& points,
                          std::shared_ptr<const SearchSpace> space) {
  SourceTaskData source;
  source.space = std::move(space);
  source.goal = Goal::kMinimize;
  for (const auto& [x, value] : points) {
    source.points.push_back({{{Value::Double(x)}}, Ending::kMeasured, value});
  }
  return source;
}

std::shared_ptr<const SearchSpace> Line() {
  return MakeSpace({{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}}});
}

std::vector<double> LossesAt(const SourceTaskData& source, const SearchSpace& target,
                             const std::vector<double>& xs, size_t estimation_points = 500,
                             bool has_place = true) {
  TargetCandidates candidates;
  for (double x : xs) {
    candidates.configurations.push_back({{Value::Double(x)}});
    candidates.coordinates.push_back(
        CoordinatesOf(target, candidates.configurations.back())[0]);
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    candidates.index.emplace(&candidates.configurations[i], static_cast<int64_t>(i));
  }
  const auto mapping = SpaceMapping::Create(*source.space, target);
  EXPECT_TRUE(mapping.ok());
  const auto losses = SourceLosses(source, SourceRanking(source), *mapping, target,
                                   UnitMetric(target), candidates, estimation_points);
  EXPECT_EQ(losses.has_value(), has_place);
  return losses.value_or(std::vector<double>());
}

TEST(SourceLosses, MeasuredCandidatesAreLookedUpAndRepeatsAveraged) {
  const auto space = Line();
  const SourceTaskData source =
      LineSource({{0.1, 0}, {0.5, 1}, {0.5, 3}, {0.7, 2}, {0.9, 4}}, space);
  // 0.5 got 2 on average, a tie with 0.7: below them 0 and 1.
  EXPECT_EQ(LossesAt(source, *space, {0.1, 0.5, 0.7, 0.9}), (std::vector<double>{0, 0.5, 0.5, 1}));
}

TEST(SourceLosses, InfeasibleCandidatesAreTheWorstUnlessTheyHaveHadAValue) {
  const auto space = Line();
  SourceTaskData source = LineSource({{0.4, 0}, {0.5, 1}, {0.6, 2}}, space);
  for (const double x : {0.45, 0.5}) {
    source.points.push_back({{{Value::Double(x)}}, Ending::kInfeasible, std::nullopt});
  }
  const std::vector<double> losses = LossesAt(source, *space, {0.4, 0.45, 0.46, 0.5});
  EXPECT_EQ(losses[1], 1);
  EXPECT_LT(losses[2], 0.5);  // Estimated from its neighbours' values.
  EXPECT_EQ(losses[3], 0.5);
  source.points.erase(source.points.begin() + 1, source.points.begin() + 3);
  EXPECT_EQ(LossesAt(source, *space, {0.45}), std::vector<double>{1});  // One value is left.
}

TEST(SourceLosses, OthersAreWeighedByTheThreeNearest) {
  const auto space = Line();
  const SourceTaskData source =
      LineSource({{0.0, 10}, {0.4, 0}, {0.5, 3}, {0.7, 6}, {1.0, 1000}}, space);
  // At 0.6: distances 0.1 to 0.5 and 0.7, 0.2 to 0.4; (3 * 4 + 6 * 4 + 0) / 9 = 4,
  // which lies between the second and the third of five.
  EXPECT_EQ(LossesAt(source, *space, {0.6}), std::vector<double>{1.5 / 4});
}

TEST(SourceLosses, FewerThanThreePointsAreEnough) {
  const auto space = Line();
  EXPECT_EQ(LossesAt(LineSource({{0.2, 1}, {0.4, 3}}, space), *space, {0.3}),
            std::vector<double>{0.5});
  EXPECT_EQ(LossesAt(LineSource({{0.2, 1}}, space), *space, {0.3}), std::vector<double>{0});
}

TEST(SourceLosses, ExtremeValuesAndDistancesGiveNoNaN) {
  const auto space = Line();
  const SourceTaskData source = LineSource(
      {{0.0, DBL_MAX}, {5e-324, -DBL_MAX}, {1e-300, DBL_MAX}, {1e-160, -DBL_MAX}, {1, DBL_MAX}},
      space);
  for (double loss : LossesAt(source, *space, {1e-323, 2e-300, 1e-161, 1e-100, 0.5, 1.0})) {
    EXPECT_GE(loss, 0);
    EXPECT_LE(loss, 1);
  }
}

TEST(SourceLosses, AmongEqualsTheEstimateIsExactlyEqual) {
  const auto space = Line();
  std::vector<std::pair<double, double>> points = {{0.9, 0.05}, {1.0, 0.95}};
  for (int i = 0; i < 9; ++i) points.emplace_back(0.037 * i, 0.1);
  for (int i = 0; i < 7; ++i) points.emplace_back(0.3337, 0.1);
  const SourceTaskData source = LineSource(points, space);
  // One is better, one worse, and all the others are equal.
  for (double loss : LossesAt(source, *space, {0.001, 0.05, 0.123, 0.21, 0.3337})) {
    EXPECT_EQ(loss, 0.5);
  }
}

TEST(SourceLosses, PointsOutsideTheTargetAreLeftOutOfEstimatesButNotOfRanks) {
  const auto source_space = MakeSpace({{"x", DoubleDomain{0, 9, Scale::kLinear}, {}, {}}});
  const auto target = Line();
  const SourceTaskData source = LineSource({{0.2, 5}, {5, 0}, {6, 1}, {7, 9}}, source_space);
  EXPECT_EQ(LossesAt(source, *target, {0.2, 0.8}), (std::vector<double>{2.0 / 3, 2.0 / 3}));
  LossesAt(LineSource({{5, 0}}, source_space), *target, {0.2}, 500, false);
}

TEST(SourceLosses, EstimationPointsAreSpreadEvenlyButLookUpsSeeAll) {
  const auto space = Line();
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 100; ++i) points.emplace_back(i / 100.0, i);
  const SourceTaskData source = LineSource(points, space);
  // Four of a hundred: at 0, 0.25, 0.5 and 0.75; the three nearest to 0.255 are
  // those at 0.25, 0.5 and 0, so the estimate is near 25.
  const auto losses = LossesAt(source, *space, {0.255, 0.99}, 4);
  EXPECT_NEAR(losses[0], 25.0 / 99, 1.0 / 99);
  EXPECT_EQ(losses[1], 1);
}

}  // namespace
}  // namespace slipstream
