// Calls that gRPC has not begun to answer; tests/e2e covers the rest over a real socket.
#include "server/grpc/unary_call.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include "slipstream/v1/services.pb.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

using Call = UnaryCall<v1::GetStudyRequest, v1::Study>;

class UnaryCallTest : public testing::Test {
 protected:
  UnaryCallTest() {
    v1::GetStudyRequest::descriptor();  // Made once, which does not survive running out of memory.
    setting_.under_way = &under_way_;
    setting_.budget = &budget_;
    EXPECT_TRUE(ToBytes(v1::GetStudyRequest(), &request_).ok());
  }
  template <typename Run>
  void Begin(const Run& run) {
    grpc::CallbackServerContext context;
    Call::Begin(setting_, Rpc::kGetStudy, &context, request_, &answer_, run);
  }

  std::atomic<int64_t> under_way_{0};
  MemoryBudget budget_{1 << 20};
  CallSetting setting_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
};

TEST_F(UnaryCallTest, IsEndedIfMemoryRunsOutAsItBegins) {
  Begin([&](Call*, const Done&) {
    EXPECT_EQ(under_way_, 1);
    throw std::bad_alloc();
  });
  EXPECT_EQ(under_way_, 0);
}

// gRPC itself refuses a call for which there cannot even be an object.
TEST_F(UnaryCallTest, IsEndedWhereverMemoryRunsOut) {
  const std::array<int, 8> too_much_for_a_small_function = {};
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    try {
      const AllocationLimit limit(allocations);
      Begin([too_much_for_a_small_function](Call*, const Done& done) { done(absl::OkStatus()); });
      was_reached = limit.was_reached();
    } catch (const std::bad_alloc&) {
    }
    EXPECT_EQ(under_way_, 0) << allocations;
  }
}

}  // namespace
}  // namespace slipstream
