#include "core/base/byte_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace slipstream {
namespace {

TEST(ByteBudget, GivesWhatIsLeftAndNoMore) {
  ByteBudget budget(100);
  EXPECT_TRUE(budget.Take(60));
  EXPECT_FALSE(budget.Take(41));
  EXPECT_EQ(budget.left(), 40u);
  EXPECT_TRUE(budget.Take(40));
  EXPECT_TRUE(budget.Take(0));
  budget.Give(60);
  EXPECT_EQ(budget.left(), 60u);
}

TEST(ByteBudget, IsSharedByThreads) {
  ByteBudget budget(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget] {
      for (int j = 0; j < 10'000; ++j) {
        if (budget.Take(2)) budget.Give(2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.left(), 3u);
}

}  // namespace
}  // namespace slipstream
