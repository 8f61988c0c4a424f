// A server that cannot have the memory that it asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "tests/e2e/raw_connection.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using Stub = v1::OptimizationService::Stub;

// Beyond what the server has after its first calls, some 275 MiB. A fit of kMany points takes more
// than 20 MiB; other calls and a fit of kFew points take less than 4 MiB.
constexpr int64_t kSpareMib = 12;
constexpr int kMany = 1000;
constexpr int kFew = 20;

class AddressSpaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer takes all addresses that there are";
#endif
    // So that the threads and caches of all kinds of calls are there.
    ASSERT_NE(RegisterSource("first", kFew), "");
    ASSERT_EQ(SuggestFrom("first"), grpc::StatusCode::OK);
    const rlim_t bytes = static_cast<rlim_t>(AddressSpace(server_.pid()) + kSpareMib * kMiB);
    LimitTo(bytes);
  }

  void LimitTo(rlim_t bytes) {
    const rlimit limit = {bytes, RLIM_INFINITY};
    ASSERT_EQ(prlimit(server_.pid(), RLIMIT_AS, &limit, nullptr), 0);
  }

  // The name of the source task that was registered; empty if it was not.
  std::string RegisterSource(const std::string& title, int observations) {
    v1::RegisterSourceTaskRequest::Header header;
    v1::SourceTask* task = header.mutable_source_task();
    task->set_display_name(title);
    *task->mutable_space() = ExampleStudy().space();
    *task->mutable_metrics() = ExampleStudy().metrics();
    std::vector<v1::Observation> all;
    for (int i = 1; i <= observations; ++i) {
      all.push_back(MeasuredObservation(
          ExampleConfiguration(static_cast<double>(i) / observations, 1 + i % 8), i % 13));
    }
    v1::RegisterSourceTaskResponse response;
    const grpc::Status status = Register(server_.stub(), header, all, &response);
    EXPECT_TRUE(status.ok()) << status.error_message() << server_.Output();
    return sources_[title] = response.source_task().name();
  }

  // Makes a study that learns from the source task, and asks for its first trial.
  grpc::StatusCode SuggestFrom(const std::string& title) {
    v1::Study study = ExampleStudy("source_portfolio");
    study.add_source_tasks(sources_.at(title));
    EXPECT_TRUE(Call(server_.stub(), &Stub::CreateStudy, CreateRequest(study, title)).ok());
    return Call(server_.stub(), &Stub::Suggest, AskRequest("studies/" + title, "w")).error_code();
  }

  // Calls until the server has logged this.
  bool Logs(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
      if (server_.Output().find(text) != std::string::npos) return true;
      if (!Call(server_.stub(), &Stub::ListStudies, v1::ListStudiesRequest()).ok()) return false;
    }
    return false;
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path()};
  std::map<std::string, std::string> sources_;
};

TEST_F(AddressSpaceTest, AFitWithoutMemoryIsAnErrorOfThatFitAndTheServerLives) {
  ASSERT_NE(RegisterSource("large", kMany), "");
  ASSERT_TRUE(Logs("source task cannot be fitted")) << server_.Output();
  EXPECT_THAT(server_.Output(), testing::HasSubstr("too little memory"));
  EXPECT_EQ(SuggestFrom("large"), grpc::StatusCode::OK) << "without transfer";
  ASSERT_NE(RegisterSource("small", kFew), "");
  EXPECT_EQ(SuggestFrom("small"), grpc::StatusCode::OK);
  EXPECT_EQ(server_.Terminate().exit_code, 0);
}

}  // namespace
}  // namespace slipstream
