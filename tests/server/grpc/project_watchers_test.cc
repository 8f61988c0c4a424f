#include "server/grpc/project_watchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

TEST(ProjectWatchers, OneProjectLeavesPlacesToTheOthers) {
  ProjectWatchers watchers(2);
  auto first = watchers.Take("vision");
  const auto second = watchers.Take("vision");
  ASSERT_TRUE(first.ok() && second.ok());
  const absl::Status refused = watchers.Take("vision").status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()),
              testing::HasSubstr("the limit of 2 watchers of the project vision"));
  EXPECT_TRUE(watchers.Take("nlp").ok());
  first->reset();
  EXPECT_TRUE(watchers.Take("vision").ok());
}

TEST(ProjectWatchers, NoPlaceIsTakenWhereverMemoryRunsOut) {
  const std::string project = "a-project-whose-name-takes-memory";
  ProjectWatchers watchers(1);
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    try {
      const AllocationLimit limit(allocations);
      (void)watchers.Take(project);
      was_reached = limit.was_reached();
    } catch (const std::bad_alloc&) {
    }
    ASSERT_TRUE(watchers.Take(project).ok()) << allocations;
  }
}

}  // namespace
}  // namespace slipstream
