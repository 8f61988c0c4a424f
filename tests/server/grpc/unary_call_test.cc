// Calls that gRPC has not begun to answer; tests/e2e covers the rest over a real socket.
#include "server/grpc/unary_call.h"

#include <gtest/gtest.h>

#include <new>

#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

using Call = UnaryCall<v1::GetStudyRequest, v1::Study>;

TEST(UnaryCall, IsEndedIfMemoryLacksForItsBeginning) {
  std::atomic<int64_t> under_way{0};
  MemoryBudget budget(1 << 20);
  CallSetting setting;
  setting.under_way = &under_way;
  setting.budget = &budget;
  grpc::CallbackServerContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer answer;
  ASSERT_TRUE(ToBytes(v1::GetStudyRequest(), &request).ok());
  Call::Begin(setting, Rpc::kGetStudy, &context, request, &answer, [&](Call*, const Done&) {
    EXPECT_EQ(under_way, 1);
    throw std::bad_alloc();
  });
  EXPECT_EQ(under_way, 0);
}

}  // namespace
}  // namespace slipstream
