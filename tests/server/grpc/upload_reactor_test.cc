// Calls that gRPC has not begun to answer; tests/e2e covers the rest over a real socket.
#include "server/grpc/upload_reactor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>

#include "server/service/source_task_upload.h"
#include "slipstream/v1/services.pb.h"
#include "tests/testing/allocation_limit.h"
#include "tests/testing/eventually.h"

namespace slipstream {
namespace {

using Reactor = UploadReactor<SourceTaskUpload, v1::RegisterSourceTaskRequest,
                              v1::RegisterSourceTaskResponse>;

class UploadReactorTest : public testing::Test {
 protected:
  UploadReactorTest() {
    v1::RegisterSourceTaskRequest::descriptor();  // Made once, which takes memory.
    setting_.under_way = &under_way_;
    setting_.budget = &budget_;
    setting_.idle_uploads = &idle_uploads_;
  }
  Reactor* Begin() {
    return new Reactor(setting_, Rpc::kRegisterSourceTask, &context_, &answer_,
                       [](std::unique_ptr<SourceTaskUpload>, auto*, const Done&) {});
  }

  std::atomic<int64_t> under_way_{0};
  MemoryBudget budget_{1 << 20};
  IdleUploads idle_uploads_{absl::Hours(1)};
  CallSetting setting_;
  grpc::CallbackServerContext context_;
  grpc::ByteBuffer answer_;
};

TEST_F(UploadReactorTest, IsEndedIfMemoryRunsOutForAMessage) {
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    Reactor* const reactor = Begin();
    {
      const AllocationLimit limit(allocations);
      reactor->OnReadDone(true);
      was_reached = limit.was_reached();
    }
    reactor->OnDone();
    EXPECT_EQ(under_way_, 0);
  }
}

// gRPC itself refuses an upload for which there cannot even be an object.
TEST_F(UploadReactorTest, IsEndedWhereverMemoryRunsOutAsItBegins) {
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    Reactor* reactor = nullptr;
    try {
      const AllocationLimit limit(allocations);
      reactor = Begin();
      was_reached = limit.was_reached();
    } catch (const std::bad_alloc&) {
    }
    EXPECT_EQ(under_way_, reactor == nullptr ? 0 : 1) << allocations;
    if (reactor == nullptr) continue;
    idle_uploads_.Leave(reactor);
    reactor->OnDone();
  }
}

thread_local std::optional<AllocationLimit> thread_limit;

TEST_F(UploadReactorTest, IsEndedIfItsCallerIsSilentAndMemoryRunsOut) {
  Log log({.sink = [](absl::string_view) {}});
  CallMonitor monitor(&log);
  setting_.monitor = &monitor;
  auto idle_uploads = std::make_unique<IdleUploads>(absl::Milliseconds(20));
  setting_.idle_uploads = idle_uploads.get();
  // It waits before the upload does and has a smaller address. One allocation is for the list of
  // idle uploads.
  idle_uploads->Wait(nullptr, [] { thread_limit.emplace(1); });
  Reactor* const reactor = Begin();
  EXPECT_TRUE(Eventually([&] { return monitor.open() == 0; }));
  idle_uploads.reset();
  reactor->OnDone();
}

}  // namespace
}  // namespace slipstream
