#include "server/grpc/memory_budget.h"

#include <gtest/gtest.h>

namespace slipstream {
namespace {

TEST(MemoryBudget, RefusesWhatWouldExceedItAndTakesNothingThen) {
  MemoryBudget budget(int64_t{10} << 20);
  EXPECT_TRUE(budget.Take(6 << 20).ok());
  const absl::Status refused = budget.Take(5 << 20);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("10 MiB"), std::string::npos) << refused;
  EXPECT_TRUE(budget.Take(4 << 20).ok());
  budget.GiveBack(6 << 20);
  EXPECT_TRUE(budget.Take(5 << 20).ok());
}

}  // namespace
}  // namespace slipstream
