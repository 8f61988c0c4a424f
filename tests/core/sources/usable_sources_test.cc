#include "core/sources/usable_sources.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

double FactIn(const UsableSources& usable, const std::string& name) {
  for (const Fact& fact : usable.Facts()) {
    if (fact.name == name) return std::get<double>(fact.value);
  }
  return 0;
}

// A source on the square of which no point has a value.
std::shared_ptr<const SourceTaskData> EmptySource() {
  auto source = std::make_shared<SourceTaskData>();
  source->name = "sourceTasks/empty";
  source->space = SquareSpace();
  source->points.push_back(
      {{{Value::Double(0.5), Value::Double(0.5)}}, Ending::kFailed, std::nullopt});
  return source;
}

TEST(UsableSources, AreTheOnesWithAModelAndTheirPointsAreCounted) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.3, 0.6, 12, 5), EmptySource(),
                                  BowlSource("sourceTasks/b", 0.3, 0.6, 8, 6, Goal::kMinimize)});
  SourceLibrary library(size_t{16} << 20);
  const auto usable = CollectUsableSources(study.view(), library, SourceFitOptions());
  ASSERT_TRUE(usable.ok()) << usable.status();
  ASSERT_EQ(usable->models.size(), 2u);
  EXPECT_EQ(usable->models[0]->name, "sourceTasks/a");
  EXPECT_EQ(usable->models[1]->name, "sourceTasks/b");
  EXPECT_EQ(FactIn(*usable, "sources_used"), 2);
  EXPECT_EQ(FactIn(*usable, "source_points_used"), 20);
  EXPECT_EQ(FactIn(*usable, "source_points_without_result"), 1);
  EXPECT_EQ(FactIn(*usable, "sources_without_a_usable_point"), 1);
  EXPECT_EQ(FactIn(*usable, "sources_with_the_opposite_goal"), 1);
}

// Has no room for sources whose names end so.
class CrampedProvider final : public SourceProvider {
 public:
  explicit CrampedProvider(std::string end) : end_(std::move(end)) {}
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override {
    if (absl::EndsWith(source->name, end_)) return absl::ResourceExhaustedError("no room");
    return library_.Get(source, space, options);
  }

 private:
  const std::string end_;
  SourceLibrary library_{size_t{16} << 20};
};

TEST(UsableSources, ThoseThatFindNoRoomAreLeftOutAndTold) {
  FakeStudy study(SquareSpace(), {BowlSource("sourceTasks/a", 0.3, 0.6, 12, 5),
                                  BowlSource("sourceTasks/b", 0.3, 0.6, 8, 6)});
  CrampedProvider provider("b");
  const auto usable = CollectUsableSources(study.view(), provider, SourceFitOptions());
  ASSERT_TRUE(usable.ok()) << usable.status();
  EXPECT_EQ(usable->models.size(), 1u);
  EXPECT_EQ(FactIn(*usable, "sources_without_room_in_memory"), 1);
  CrampedProvider full("");
  const auto none = CollectUsableSources(study.view(), full, SourceFitOptions());
  EXPECT_TRUE(absl::IsNotFound(none.status())) << none.status();
  EXPECT_THAT(std::string(none.status().message()), testing::HasSubstr("2 models do not fit into"));
}

// On a space of x, y and a word.
std::shared_ptr<const SourceTaskData> SourceAt(std::string name,
                                               const std::vector<std::vector<double>>& points) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = std::move(name);
  source->space = MakeSpace({{"x", DoubleDomain{-9, 9}, {}, {}},
                             {"y", IntegerDomain{-9, 9}, {}, {}},
                             {"word", CategoricalDomain{{"one", "two", "three"}}, {}, {}}});
  for (const std::vector<double>& point : points) {
    source->points.push_back({{{Value::Double(point[0]),
                                Value::Integer(static_cast<int64_t>(point[1])),
                                Value::Level(static_cast<int64_t>(point[2]))}},
                              Ending::kMeasured,
                              1.0});
  }
  return source;
}

std::string WhyNone(std::vector<std::shared_ptr<const SourceTaskData>> sources) {
  const auto space = MakeSpace({{"x", DoubleDomain{0, 1}, {}, {}},
                                {"y", IntegerDomain{0, 3}, {}, {}},
                                {"word", CategoricalDomain{{"one", "four"}}, {}, {}}});
  FakeStudy study(space, std::move(sources));
  SourceLibrary library(size_t{16} << 20);
  const auto usable = CollectUsableSources(study.view(), library, SourceFitOptions());
  EXPECT_TRUE(absl::IsNotFound(usable.status())) << usable.status();
  return std::string(usable.status().message());
}

TEST(UsableSources, TheParameterByWhichMostPointsAreOutsideIsTold) {
  constexpr char kBegin[] = "no source task has a point that can be used: ";
  EXPECT_EQ(WhyNone({SourceAt("sourceTasks/a", {{1.5, 9, 0}, {0.5, -3, 0}, {-2, 7, 1}}),
                     SourceAt("sourceTasks/b", {{4, 0, 0}, {0.5, 4, 0}})}),
            std::string(kBegin) +
                "5 points are outside the study's space (4 of them by y, which is -3 to 9 there, "
                "and must be a whole number from 0 to 3)");
  EXPECT_EQ(WhyNone({SourceAt("sourceTasks/a", {{1.5, 0, 0}})}),
            std::string(kBegin) +
                "1 point is outside the study's space (by x, which is 1.5 there, and must be a "
                "number from 0 to 1)");
  EXPECT_EQ(WhyNone({SourceAt("sourceTasks/a", {{0, 0, 1}, {0, 0, 2}, {9, 0, 1}})}),
            std::string(kBegin) +
                "3 points are outside the study's space (by word, which is \"two\" there, and "
                "must be one of \"one\", \"four\")");
}

TEST(UsableSources, AreRefusedIfThereAreNone) {
  FakeStudy study(SquareSpace(), {EmptySource()});
  SourceLibrary library(size_t{16} << 20);
  const auto usable = CollectUsableSources(study.view(), library, SourceFitOptions());
  EXPECT_TRUE(absl::IsNotFound(usable.status())) << usable.status();
}

}  // namespace
}  // namespace slipstream
