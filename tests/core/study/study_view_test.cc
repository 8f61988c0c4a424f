#include "core/study/study_view.h"

#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(StudyView, MeasuredTrialsAndStoppedOnesWithAValueInformModels) {
  EndedTrial trial;
  trial.value = 1;
  EXPECT_TRUE(InformsModels(trial));
  trial.ending = Ending::kStopped;
  EXPECT_TRUE(InformsModels(trial));
  for (const Ending ending : {Ending::kFailed, Ending::kInfeasible}) {
    trial.ending = ending;
    EXPECT_FALSE(InformsModels(trial));
  }
  trial.ending = Ending::kStopped;
  trial.value = std::nullopt;
  EXPECT_FALSE(InformsModels(trial));
}

TEST(StudyView, ASourcesMemoryGrowsWithItsPointsAndCountsItsSpace) {
  const auto small = BowlSource("s", 0.5, 0.5, 10, 1);
  const auto large = BowlSource("s", 0.5, 0.5, 1010, 1);
  const size_t per_point = sizeof(SourcePoint) + 2 * sizeof(Value);
  EXPECT_GE(large->MemoryBytes(), small->MemoryBytes() + 1000 * per_point * 9 / 10);
  EXPECT_LE(large->MemoryBytes(), small->MemoryBytes() + 3000 * per_point);
  EXPECT_GE(small->MemoryBytes(), small->space->MemoryBytes());
  EXPECT_EQ(SourceTaskData().MemoryBytes(), sizeof(SourceTaskData) + std::string().capacity());
}

}  // namespace
}  // namespace slipstream
