#include "server/grpc/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/base/status.h"

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

TEST(MemoryBudget, ACallThatNeedsMoreThanThereIsAloneIsNotToldToComeAgain) {
  MemoryBudget budget(100);
  ASSERT_TRUE(budget.Take(60).ok());
  EXPECT_TRUE(IsOverload(budget.Take(41)));
  EXPECT_TRUE(IsOverload(budget.Take(41, 59)));
  EXPECT_FALSE(IsOverload(budget.Take(41, 60)));
  EXPECT_FALSE(IsOverload(budget.Take(101)));
}

TEST(MemoryBudget, WhatIsRefusedTakesNothingFromWhatFits) {
  MemoryBudget budget(100);
  std::atomic<bool> done{false};
  std::thread greedy([&] {
    while (!done) EXPECT_FALSE(budget.Take(101).ok());
  });
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(budget.Take(100).ok()) << i;
    budget.GiveBack(100);
  }
  done = true;
  greedy.join();
}

}  // namespace
}  // namespace slipstream
