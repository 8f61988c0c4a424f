// What gRPC does at its own time; tests/e2e/watch_test.cc covers the rest over a real socket.
#include "server/grpc/watch_reactor.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "core/base/status.h"
#include "tests/testing/memory_store.h"

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

TEST(WatchReactor, EndsIfMemoryRunsOutForAMessage) {
  const auto store = MakeMemoryStore();
  EventFeed feed(store.get(), {});
  Executor reads("reads", /*threads=*/1, /*max_waiting=*/1);
  WatchService service(store.get(), &feed, &reads);
  v1::WatchStudiesRequest request;
  std::promise<absl::Status> end;
  auto* const reactor = new WatchReactor(
      [&](const std::function<void()>& on_more, const WatchService::Opened& opened) {
        service.WatchStudies(&request, on_more, opened);
      },
      []() -> absl::Status { throw std::bad_alloc(); },
      [&end](const absl::Status& status) { end.set_value(status); });
  const absl::Status ended = end.get_future().get();
  EXPECT_TRUE(IsOverload(ended)) << ended;
  reactor->OnDone();
}

}  // namespace
}  // namespace slipstream
