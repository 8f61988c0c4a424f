// Calls that gRPC has not begun to answer; tests/e2e covers the rest over a real socket.
#include "server/grpc/upload_reactor.h"

#include <gtest/gtest.h>

#include "server/service/source_task_upload.h"
#include "slipstream/v1/services.pb.h"
#include "tests/testing/lack_of_memory.h"

namespace slipstream {
namespace {

using Reactor = UploadReactor<SourceTaskUpload, v1::RegisterSourceTaskRequest,
                              v1::RegisterSourceTaskResponse>;

TEST(UploadReactor, IsEndedIfMemoryLacksForAMessage) {
  std::atomic<int64_t> under_way{0};
  MemoryBudget budget(1 << 20);
  IdleUploads idle_uploads(absl::Hours(1));
  CallSetting setting;
  setting.under_way = &under_way;
  setting.budget = &budget;
  setting.idle_uploads = &idle_uploads;
  grpc::ByteBuffer answer;
  bool is_lacking = true;
  for (int allocations = 0; is_lacking; ++allocations) {
    grpc::CallbackServerContext context;
    auto* const reactor =
        new Reactor(setting, Rpc::kRegisterSourceTask, &context, &answer,
                    [](std::unique_ptr<SourceTaskUpload>, auto*, const Done&) {});
    {
      const LackOfMemory lack(allocations);
      reactor->OnReadDone(true);
      is_lacking = lack.has_struck();
    }
    reactor->OnDone();
    EXPECT_EQ(under_way, 0);
  }
}

}  // namespace
}  // namespace slipstream
