// What gRPC does at its own time; tests/e2e/watch_test.cc covers the rest over a real socket.
#include "server/grpc/watch_reactor.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace slipstream {
namespace {

TEST(WatchReactor, OutlivesWhoeverEndsItWhenGrpcIsDoneAtOnce) {
  absl::Notification destroyed;
  std::shared_ptr<void> life(nullptr, [&](void*) { destroyed.Notify(); });
  std::thread grpc;
  bool destroyed_early = false;
  WatchService::Opened opened;
  WatchReactor* reactor = nullptr;
  // Nothing of the lambda is used after the reactor might be gone.
  const std::function<void()> end = [&] {
    grpc = std::thread([reactor] { reactor->OnDone(); });
    destroyed_early = destroyed.WaitForNotificationWithTimeout(absl::Milliseconds(200));
  };
  reactor = new WatchReactor(
      [&opened](const std::function<void()>&, WatchService::Opened call) {
        opened = std::move(call);
      },
      [] { return absl::OkStatus(); },
      [&end, held = std::move(life)](const absl::Status&) { end(); });
  opened(absl::UnavailableError("the store cannot be read"));
  EXPECT_FALSE(destroyed_early);
  grpc.join();
  EXPECT_TRUE(destroyed.HasBeenNotified());
}

}  // namespace
}  // namespace slipstream
