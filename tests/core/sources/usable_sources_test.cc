#include "core/sources/usable_sources.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

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

TEST(UsableSources, AreRefusedIfThereAreNone) {
  FakeStudy study(SquareSpace(), {EmptySource()});
  SourceLibrary library(size_t{16} << 20);
  const auto usable = CollectUsableSources(study.view(), library, SourceFitOptions());
  EXPECT_TRUE(absl::IsNotFound(usable.status())) << usable.status();
}

}  // namespace
}  // namespace slipstream
