#include "server/grpc/project_watchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace slipstream
