#include "server/service/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace slipstream {
namespace {

TEST(Executor, RunsEveryAcceptedTaskBeforeItIsDestroyed) {
  std::atomic<int> ran{0};
  {
    Executor executor("tasks", 2, 1000);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(executor.Run([&ran] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 500);
}

TEST(Executor, RefusesTasksBeyondItsBoundNamingIt) {
  std::promise<void> started;
  std::promise<void> gate;
  std::atomic<int> ran{0};
  {
    Executor executor("lookups", 1, 2);
    ASSERT_TRUE(executor
                    .Run([&] {
                      started.set_value();
                      gate.get_future().wait();
                    })
                    .ok());
    started.get_future().wait();
    EXPECT_TRUE(executor.Run([&ran] { ++ran; }).ok());
    EXPECT_TRUE(executor.Run([&ran] { ++ran; }).ok());
    const absl::Status refused = executor.Run([&ran] { ++ran; });
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(refused.message()),
                ::testing::HasSubstr("the limit of 2 lookups that wait is reached"));
    executor.Continue([&ran] { ++ran; });
    gate.set_value();
  }
  EXPECT_EQ(ran, 3);
}

// One thread is held while tasks of both kinds come to wait.
std::string OrderOf(int first, int later) {
  std::string order;
  std::promise<void> started;
  std::promise<void> gate;
  Executor executor("tasks", 1, 1000);
  EXPECT_TRUE(executor
                  .Run([&] {
                    started.set_value();
                    gate.get_future().wait();
                  })
                  .ok());
  started.get_future().wait();
  for (int i = 0; i < later; ++i) {
    executor.Continue([&order] { order += 'l'; }, Executor::Turn::kLater);
  }
  for (int i = 0; i < first; ++i) EXPECT_TRUE(executor.Run([&order] { order += 'f'; }).ok());
  std::promise<void> last;
  executor.Continue([&last] { last.set_value(); }, Executor::Turn::kLater);
  gate.set_value();
  last.get_future().wait();
  return order;
}

TEST(Executor, ATaskThatHasHadItsTurnContinuesBehindThoseThatHaveNot) {
  EXPECT_EQ(OrderOf(3, 2), "fffll");
}

TEST(Executor, ASpareThreadTakesFirstTurnsWhileAllOthersAreHeld) {
  std::promise<void> started;
  std::promise<void> gate;
  std::atomic<bool> has_continued{false};
  {
    Executor executor("tasks", 1, 1000, /*spare_threads=*/1);
    executor.Continue(
        [&] {
          started.set_value();
          gate.get_future().wait();
        },
        Executor::Turn::kLater);
    started.get_future().wait();
    executor.Continue([&has_continued] { has_continued = true; }, Executor::Turn::kLater);
    for (int i = 0; i < 10; ++i) {
      std::promise<void> ran;
      EXPECT_TRUE(executor.Run([&ran] { ran.set_value(); }).ok());
      ran.get_future().wait();
    }
    EXPECT_FALSE(has_continued) << "no spare thread goes on with long work";
    gate.set_value();
  }
  EXPECT_TRUE(has_continued);
}

TEST(Executor, ThreadsThatAreNotSpareBeginByWhatTheyAreGiven) {
  std::mutex mutex;
  std::set<std::thread::id> begun;
  std::set<std::thread::id> ran;
  const auto note = [&mutex](std::set<std::thread::id>* threads) {
    const std::lock_guard lock(mutex);
    threads->insert(std::this_thread::get_id());
  };
  {
    Executor executor("tasks", 2, 1000, /*spare_threads=*/1, [&] { note(&begun); });
    for (int i = 0; i < 100; ++i) {
      executor.Continue([&] { note(&ran); }, Executor::Turn::kLater);
    }
  }
  EXPECT_EQ(begun.size(), 2u);
  EXPECT_TRUE(std::includes(begun.begin(), begun.end(), ran.begin(), ran.end()));
}

TEST(Executor, TasksThatAreAddedDuringTheEndStillRun) {
  std::atomic<int> ran{0};
  std::function<void(int)> add;  // Tasks call it until the executor's end.
  {
    Executor executor("tasks", 2, 1000, /*spare_threads=*/1);
    add = [&](int more) {
      ++ran;
      if (more > 0) executor.Continue([&add, more] { add(more - 1); }, Executor::Turn::kLater);
    };
    executor.Continue([&add] { add(99); });
  }
  EXPECT_EQ(ran, 100);
}

TEST(Executor, TasksThatContinueAreNotPutOffForEver) { EXPECT_EQ(OrderOf(8, 2), "ffflffflff"); }

}  // namespace
}  // namespace slipstream
