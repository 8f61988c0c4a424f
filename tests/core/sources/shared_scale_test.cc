#include "core/sources/shared_scale.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

// Measured values at points of no matter; NaN stands for a failed point.
std::shared_ptr<const SourceTaskData> SourceWith(Goal goal, const std::vector<double>& values) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = "sourceTasks/a";
  source->space = SquareSpace();
  source->goal = goal;
  for (double value : values) {
    const bool failed = std::isnan(value);
    source->points.push_back({{{Value::Double(0.5), Value::Double(0.5)}},
                              failed ? Ending::kFailed : Ending::kMeasured,
                              failed ? std::nullopt : std::optional<double>(value)});
  }
  return source;
}

TEST(SharedScale, IsOneAffineMapOfAllSourcesResults) {
  const std::vector<std::shared_ptr<const SourceTaskData>> sources = {
      SourceWith(Goal::kMaximize, {1, 2, NAN}), SourceWith(Goal::kMaximize, {6, 7})};
  const auto scale = SharedScaleOf(sources, *SquareSpace());
  ASSERT_TRUE(scale.has_value());
  const double deviation = std::sqrt((9.0 + 4 + 4 + 9) / 3);  // Around the mean, 4.
  for (double value : {-3.0, 1.0, 4.0, 7.0, 100.0}) {
    EXPECT_NEAR(scale->Apply(value), (value - 4) / deviation, 1e-12) << value;
    EXPECT_NEAR(scale->Invert(scale->Apply(value)), value, 1e-9) << value;
  }
}

TEST(SharedScale, TakesAResultThatIsToBeMinimisedForItsOpposite) {
  const std::vector<std::shared_ptr<const SourceTaskData>> down = {
      SourceWith(Goal::kMinimize, {1, 2, 6, 7})};
  const std::vector<std::shared_ptr<const SourceTaskData>> up = {
      SourceWith(Goal::kMaximize, {-1, -2, -6, -7})};
  const auto space = SquareSpace();
  EXPECT_EQ(SharedScaleOf(down, *space), SharedScaleOf(up, *space));
  const OutputTransform of_minimised = SharedScaleOf(down, *space)->WithSign(-1);
  EXPECT_NEAR(of_minimised.Apply(4), 0, 1e-15);
  EXPECT_GT(of_minimised.Apply(1), of_minimised.Apply(2)) << "less is better";
}

TEST(SharedScale, IsThereOnlyIfSomethingWasMeasured) {
  const std::vector<std::shared_ptr<const SourceTaskData>> sources = {
      SourceWith(Goal::kMaximize, {NAN})};
  EXPECT_FALSE(SharedScaleOf(sources, *SquareSpace()).has_value());
  EXPECT_FALSE(SharedScaleOf({}, *SquareSpace()).has_value());
}

// The source's space was wider, and what it got beyond the study's says nothing about these.
TEST(SharedScale, IsThatOfResultsInTheStudysSpace) {
  const auto inside = SourceWith(Goal::kMaximize, {1, 2, 6, 7});
  auto wide = std::make_shared<SourceTaskData>(*inside);
  wide->space = MakeSpace({{"x", DoubleDomain{0, 100}, {}, {}}, {"z", DoubleDomain{}, {}, {}}});
  wide->points.push_back({{{Value::Double(99), Value::Double(0.5)}}, Ending::kMeasured, -1e6});
  auto elsewhere = std::make_shared<SourceTaskData>(*inside);
  elsewhere->space = MakeSpace({{"z", DoubleDomain{}, {}, {}}, {"w", DoubleDomain{}, {}, {}}});
  elsewhere->points.front().value = 1e9;
  using Sources = std::vector<std::shared_ptr<const SourceTaskData>>;
  const auto space = SquareSpace();
  EXPECT_EQ(SharedScaleOf(Sources{wide, elsewhere}, *space),
            SharedScaleOf(Sources{inside}, *space));
  EXPECT_FALSE(SharedScaleOf(Sources{elsewhere}, *space).has_value());
}

TEST(SharedScale, StandsFiguresOfAnySize) {
  const std::vector<std::shared_ptr<const SourceTaskData>> sources = {
      SourceWith(Goal::kMaximize, {-1e308, 1e308, 5e307})};
  const auto scale = SharedScaleOf(sources, *SquareSpace());
  ASSERT_TRUE(scale.has_value());
  EXPECT_TRUE(std::isfinite(scale->Apply(1e308)));
}

TEST(SharedScale, IsThereOnlyIfResultsDiffer) {
  using Sources = std::vector<std::shared_ptr<const SourceTaskData>>;
  const auto space = SquareSpace();
  for (const std::vector<double>& equal :
       {std::vector<double>{1e-3}, {3, 3, 3}, {0, 0}, {0.3, 0.1 + 0.2}, {1e308, 1e308}}) {
    EXPECT_FALSE(SharedScaleOf(Sources{SourceWith(Goal::kMaximize, equal)}, *space).has_value());
  }
  const Sources two = {SourceWith(Goal::kMaximize, {3}), SourceWith(Goal::kMaximize, {3.1})};
  EXPECT_TRUE(SharedScaleOf(two, *space).has_value());
}

}  // namespace
}  // namespace slipstream
