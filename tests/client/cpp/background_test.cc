#include "client/cpp/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"

namespace slipstream::client_internal {
namespace {

TEST(Background, GivesWhatTheCallsReturn) {
  Background background({});
  auto number = background.Run([]() -> absl::StatusOr<int> { return 7; });
  auto refused = background.Run([] { return absl::NotFoundError("no"); });
  EXPECT_EQ(*number.get(), 7);
  EXPECT_EQ(refused.get(), absl::NotFoundError("no"));
}

TEST(Background, PassesOnAnException) {
  Background background({});
  auto call = background.Run([]() -> absl::Status { throw std::runtime_error("full disk"); });
  EXPECT_THROW((void)call.get(), std::runtime_error);
}

TEST(Background, MakesAsManyCallsAtATimeAsItHasThreads) {
  Background background({.threads = 3});
  std::atomic<int> under_way{0};
  std::vector<std::future<absl::Status>> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(background.Run([&under_way] {
      ++under_way;
      while (under_way < 3) std::this_thread::yield();  // Ends only if all three are made at once.
      return absl::OkStatus();
    }));
  }
  for (auto& call : calls) EXPECT_TRUE(call.get().ok());
}

TEST(Background, RefusesMoreWaitingCallsThanItsBound) {
  Background background({.threads = 1, .waiting = 2});
  std::promise<void> begun, go_on;
  std::vector<std::future<absl::Status>> calls;
  calls.push_back(background.Run([&, held = go_on.get_future().share()] {
    begun.set_value();
    held.wait();
    return absl::OkStatus();
  }));
  begun.get_future().wait();
  for (int i = 0; i < 2; ++i) calls.push_back(background.Run([] { return absl::OkStatus(); }));
  const absl::Status refused = background.Run([] { return absl::OkStatus(); }).get();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(),
            "background.waiting is 2, and that many calls are waiting already: wait for one of "
            "them first");
  go_on.set_value();
  for (auto& call : calls) EXPECT_TRUE(call.get().ok());
}

TEST(Background, MakesAllCallsBeforeItGoes) {
  std::atomic<int> made{0};
  {
    Background background({.threads = 2});
    for (int i = 0; i < 50; ++i) {
      background.Run([&made] {
        ++made;
        return absl::OkStatus();
      });
    }
  }
  EXPECT_EQ(made, 50);
}

TEST(Background, MayBeLetGoByACallOfItsOwn) {
  auto background = std::make_shared<Background>(BackgroundOptions{.threads = 2});
  std::promise<void> let_go, gone;
  Background& there = *background;
  there.Run([last = std::move(background), &let_go, &gone]() mutable {
    let_go.get_future().wait();
    last = nullptr;
    gone.set_value();
    return absl::OkStatus();
  });
  let_go.set_value();
  gone.get_future().wait();
}

}  // namespace
}  // namespace slipstream::client_internal
