// A server's port under generated requests. Ten million of them: generated_requests.cc.
#include "tests/fuzz/port_calls.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "server/access/rpc_table.h"

namespace slipstream::fuzz {
namespace {

TEST(PortCalls, GeneratedRequestsGetAnswersAndLeaveTheServerSound) {
  const PortReport report = CallPort({.requests = 20'000});
  std::cout << report.Text() << "\n";
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(report.requests, 20'000);
  for (const RpcEntry& entry : RpcTable()) {
    EXPECT_GT(report.by_rpc.count(std::string(entry.name)), 0u) << entry.name;
  }
  // The generator makes calls of all kinds, and no client can make the server write much.
  for (const grpc::StatusCode code :
       {grpc::StatusCode::OK, grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::NOT_FOUND,
        grpc::StatusCode::ALREADY_EXISTS, grpc::StatusCode::FAILED_PRECONDITION}) {
    EXPECT_GT(report.by_code.count(code), 0u) << code;
  }
  EXPECT_LT(report.log_bytes, 64 << 10);
  ASSERT_EQ(report.memory.size(), 10u);
  for (const MemorySpan& span : report.memory) EXPECT_LE(span.median_bytes, span.most_bytes);
}

TEST(PortReport, TellsGrowthOfMemoryByMediansAndByPeaks) {
  PortReport report;
  EXPECT_EQ(report.Growth(), 0);
  report.memory = {{100, 150}, {90, 500}, {95, 130}};
  EXPECT_EQ(report.Growth(), 0);
  EXPECT_EQ(report.PeakGrowth(), 350);
  report.memory.push_back({130, 140});
  EXPECT_EQ(report.Growth(), 30);
  report.memory.front() = {};  // Too few requests for a sample.
  EXPECT_EQ(report.Growth(), 0);
  EXPECT_EQ(report.PeakGrowth(), 0);
}

TEST(PortCalls, FailIfThereIsNoTimeForAllRequests) {
  const PortReport report = CallPort({.requests = 10'000'000, .seconds = 0.1});
  EXPECT_LT(report.requests, 10'000'000);
  EXPECT_THAT(report.failures,
              testing::ElementsAre(testing::HasSubstr("of 10000000 requests in 0.1 s")));
}

}  // namespace
}  // namespace slipstream::fuzz
