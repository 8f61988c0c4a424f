// A server's port under generated requests. Ten million of them: generated_requests.cc.
#include "tests/fuzz/port_calls.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/access/rpc_table.h"
#include "slipstream/v1/services.pb.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/request_maker.h"

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

// Makes requests, of which all deletions succeed; returns the names that were deleted.
std::set<std::string> DeletedIn(int requests, RequestMaker& maker) {
  RandomDice dice(1);
  std::set<std::string> deleted;
  for (int i = 0; i < requests; ++i) {
    const MadeRequest made = maker.Any(dice);
    v1::DeleteStudyRequest deletion;
    if (made.rpc != Rpc::kDeleteStudy || !deletion.ParseFromString(made.bytes)) continue;
    maker.Learn(made, "");
    deleted.insert(deletion.name());
  }
  return deleted;
}

TEST(RequestMaker, DeletesWhatMutatedRequestsMade) {
  RequestMaker maker;
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    v1::Study study;
    study.set_name(absl::StrCat("studies/strange-", i));
    maker.Learn({Rpc::kCreateStudy, ""}, study.SerializeAsString());
    names.push_back(study.name());
  }
  const std::set<std::string> deleted = DeletedIn(2000, maker);
  // The newest ones stay, so that there is something to meet.
  for (int i = 0; i < 150; ++i) EXPECT_EQ(deleted.count(names[i]), 1u) << names[i];
  for (int i = 150; i < 200; ++i) EXPECT_EQ(deleted.count(names[i]), 0u) << names[i];
}

TEST(RequestMaker, LeavesTheStudiesThatItNamesAllTheTime) {
  RequestMaker maker;
  v1::Study study;
  study.set_name("studies/a");
  for (int i = 0; i < 200; ++i) maker.Learn({Rpc::kCreateStudy, ""}, study.SerializeAsString());
  RandomDice dice(1);
  int deletions = 0;
  for (int i = 0; i < 3000; ++i) deletions += maker.Any(dice).rpc == Rpc::kDeleteStudy ? 1 : 0;
  EXPECT_LT(deletions, 60);  // One of 30 RPCs, made a fifth as often: some 20.
}

TEST(PortCalls, FailIfThereIsNoTimeForAllRequests) {
  const PortReport report = CallPort({.requests = 10'000'000, .seconds = 0.1});
  EXPECT_LT(report.requests, 10'000'000);
  EXPECT_THAT(report.failures,
              testing::ElementsAre(testing::HasSubstr("of 10000000 requests in 0.1 s")));
}

}  // namespace
}  // namespace slipstream::fuzz
