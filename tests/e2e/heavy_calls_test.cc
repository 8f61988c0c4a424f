// Calls that the server computes long for: when callers go, and when the server is to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using Stub = v1::OptimizationService::Stub;

constexpr int kResults = 40;
constexpr int kHeavyCount = 1000;

void CreateModelled(Stub& stub, const std::string& id) {
  ASSERT_TRUE(Call(stub, &Stub::CreateStudy, CreateRequest(ExampleStudy("gp_log_ei"), id)).ok());
  v1::AddTrialsRequest request;
  request.set_study("studies/" + id);
  for (int i = 0; i < kResults; ++i) {
    *request.add_observations() =
        MeasuredObservation(ExampleConfiguration(0.02 * (i + 1), 1 + i % 8), i % 7);
  }
  ASSERT_TRUE(Call(stub, &Stub::AddTrials, request).ok());
}

int CountTrials(Stub& stub, const std::string& study) {
  v1::ListTrialsRequest request;
  request.set_study("studies/" + study);
  request.set_page_size(1000);
  v1::ListTrialsResponse response;
  EXPECT_TRUE(Call(stub, &Stub::ListTrials, request, &response).ok());
  return response.trials_size();
}

TEST(HeavyCalls, ACallerWhoGoesLeavesNoLeaseBehind) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  CreateModelled(server.stub(), "s");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  v1::SuggestResponse response;
  const grpc::Status gone =
      server.stub().Suggest(&context, AskRequest("studies/s", "gone", kHeavyCount), &response);
  ASSERT_EQ(gone.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  // Answered by the next batch, when nothing is left of the first.
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, AskRequest("studies/s", "other")).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(3))
      << "the first call's budget is longer";
  EXPECT_EQ(CountTrials(server.stub(), "s"), kResults + 1);
}

TEST(HeavyCalls, SigtermEndsTheServerWhateverIsBeingComputed) {
  TemporaryFolder data;
  {
    ServerProcess server(data.path(), {"--drain-seconds", "0.5"});
    std::vector<std::future<grpc::Status>> heavy;
    for (const std::string id : {"a", "b", "c"}) {
      CreateModelled(server.stub(), id);
      heavy.push_back(std::async(std::launch::async, [&server, id] {
        return Call(server.stub(), &Stub::Suggest, AskRequest("studies/" + id, "w", kHeavyCount));
      }));
    }
    CreateModelled(server.stub(), "light");
    ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, AskRequest("studies/light", "w")).ok());
    const auto started = std::chrono::steady_clock::now();
    EXPECT_EQ(server.Terminate().exit_code, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(2500));
    for (std::future<grpc::Status>& each : heavy) EXPECT_FALSE(each.get().ok());
  }
  ServerProcess again(data.path());
  for (const std::string id : {"a", "b", "c"}) EXPECT_EQ(CountTrials(again.stub(), id), kResults);
  EXPECT_EQ(CountTrials(again.stub(), "light"), kResults + 1);
}

}  // namespace
}  // namespace slipstream
