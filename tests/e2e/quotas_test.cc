// Quotas of projects, with the real program: the file, what is refused, and what is shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"
#include "tests/e2e/http.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = grpc::StatusCode;
using Stub = v1::OptimizationService::Stub;

class QuotasTest : public testing::Test {
 protected:
  // The server never sees a part of the file.
  void Write(const std::string& lines) {
    std::ofstream(file_ + ".new") << lines;
    std::filesystem::rename(file_ + ".new", file_);
  }
  void Start(std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"--quota-file", file_});
    server_.emplace(data_.path(), flags);
  }
  Stub& stub() { return server_->stub(); }

  grpc::Status Create(const std::string& id, const std::string& project = "default") {
    v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), id);
    request.set_parent("projects/" + project);
    return Call(stub(), &Stub::CreateStudy, request);
  }
  grpc::Status Ask(const std::string& study, v1::SuggestResponse* response = nullptr) {
    v1::SuggestResponse ignored;
    return Call(stub(), &Stub::Suggest, AskRequest(study, absl::StrCat("w", ++workers_)),
                response != nullptr ? response : &ignored);
  }
  v1::ServerStatus Status() {
    v1::ServerStatus status;
    EXPECT_TRUE(Call(stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest(), &status).ok());
    return status;
  }

  TemporaryFolder data_;
  TemporaryFolder scratch_;
  const std::string file_ = scratch_.path() + "/quotas";
  std::optional<ServerProcess> server_;
  int workers_ = 0;
};

TEST_F(QuotasTest, WhatWouldExceedAQuotaIsRefusedByName) {
  Write("vision 1 2 - - -\n");
  Start();
  ASSERT_TRUE(Create("s", "vision").ok());
  const grpc::Status refused = Create("t", "vision");
  EXPECT_EQ(refused.error_code(), Code::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("project vision has 1 study, 1 more would be above its quota of 1 "
                        "(studies in " +
                        file_));
  EXPECT_TRUE(Create("s").ok()) << "another project";
  v1::SuggestResponse suggestion;
  ASSERT_TRUE(Ask("projects/vision/studies/s", &suggestion).ok());
  ASSERT_TRUE(Ask("projects/vision/studies/s").ok());
  EXPECT_EQ(Ask("projects/vision/studies/s").error_code(), Code::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(
      Call(stub(), &Stub::Observe, TellRequest(suggestion.trials(0).name(), LossOutcome(1))).ok());
}

// Callers who ask at the same time are served as far as there is room.
TEST_F(QuotasTest, OfCallersWhoAskTogetherThoseWhoFitAreServed) {
  Write("default - 4 - - -\n");
  Start();
  ASSERT_TRUE(Create("s").ok());
  std::vector<grpc::Status> answers(8);
  std::vector<std::thread> callers;
  for (size_t i = 0; i < answers.size(); ++i) {
    callers.emplace_back([&, i] {
      answers[i] =
          Call(stub(), &Stub::Suggest, AskRequest("studies/s", absl::StrCat("worker-", i)));
    });
  }
  for (std::thread& caller : callers) caller.join();
  int served = 0;
  for (const grpc::Status& answer : answers) {
    served += answer.ok() ? 1 : 0;
    EXPECT_TRUE(answer.ok() || answer.error_code() == Code::RESOURCE_EXHAUSTED);
  }
  EXPECT_EQ(served, 4);
}

TEST_F(QuotasTest, AChangedFileHoldsAndAWrongOneDoesNot) {
  Write("default 1 - - - -\n");
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_FALSE(Create("b").ok());
  Write("# more\ndefault 2 - - - -\n");
  EXPECT_TRUE(server_->Writes("read the quota file again"));
  EXPECT_TRUE(Create("b").ok());
  Write("default many - - - -\n");
  EXPECT_TRUE(server_->Writes("the previous quotas stay in force"));
  EXPECT_THAT(server_->Output(), HasSubstr("line 1: studies is many"));
  EXPECT_EQ(Create("c").error_code(), Code::RESOURCE_EXHAUSTED);
}

TEST_F(QuotasTest, AWrongFileIsRefusedAtTheStart) {
  const auto start = [&] {
    return ServerProcess::Run(
        {"--create", "--data", data_.path(), "--listen", "127.0.0.1:0", "--quota-file", file_});
  };
  EXPECT_THAT(start().output, HasSubstr("the quota file " + file_ + " cannot be read"));
  Write("vision 1 1 1 1 1\nnlp 1 1\n");
  const EndedProcess ended = start();
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr(file_ + ", line 2: there are 3 columns"));
}

TEST_F(QuotasTest, CallsAboveTheRateAreRefusedAndResultsAreNot) {
  Write("vision - - - - 0.01\n");
  Start({"--metrics-address", "127.0.0.1:0"});
  ASSERT_TRUE(Create("s", "vision").ok());  // The one call that may be saved.
  const grpc::Status refused = Ask("projects/vision/studies/s");
  EXPECT_EQ(refused.error_code(), Code::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(),
              AllOf(HasSubstr("project vision makes more calls than its quota of 0.01 a second"),
                    HasSubstr("calls_per_second in " + file_)));
  v1::StatusDetails details;
  v1::Overload overload;
  ASSERT_TRUE(details.ParseFromString(refused.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&overload));
  EXPECT_NEAR(static_cast<double>(overload.retry_delay().seconds()), 100, 60);
  EXPECT_EQ(Call(stub(), &Stub::Observe,
                 TellRequest("projects/vision/studies/s/trials/1", LossOutcome(1)))
                .error_code(),
            Code::NOT_FOUND);
  EXPECT_TRUE(Create("s").ok());
  v1::ListStudiesRequest all;
  all.set_parent("projects/-");
  v1::ListStudiesResponse studies;
  EXPECT_TRUE(Call(stub(), &Stub::ListStudies, all, &studies).ok());
  std::smatch address;
  const std::string output = server_->Output();
  ASSERT_TRUE(std::regex_search(output, address, std::regex("metrics=([0-9.:]+)")));
  EXPECT_THAT(AskOverHttp(address[1], "GET /metrics"),
              HasSubstr("slipstream_quota_refusals_total{quota=\"calls_per_second\"} 1\n"));
}

TEST_F(QuotasTest, TheStatusShowsWhatProjectsHaveAndMayHave) {
  Write("vision 10 1000 - 1 2.5\nempty - - 7 - -\n");
  Start();
  ASSERT_TRUE(Create("s").ok());
  ASSERT_TRUE(Create("s", "vision").ok());
  ASSERT_TRUE(Ask("projects/vision/studies/s").ok());
  const v1::ServerStatus status = Status();
  ASSERT_EQ(status.projects_size(), 3);
  EXPECT_EQ(status.projects(0).name(), "projects/default");
  EXPECT_EQ(status.projects(0).studies(), 1);
  EXPECT_FALSE(status.projects(0).quota().has_studies());
  EXPECT_EQ(status.projects(1).name(), "projects/empty");
  EXPECT_EQ(status.projects(1).bytes(), 0);
  EXPECT_EQ(status.projects(1).quota().source_tasks(), 7);
  const v1::ServerStatus::Project& vision = status.projects(2);
  EXPECT_EQ(vision.trials(), 1);
  EXPECT_GT(vision.bytes(), 200);
  EXPECT_EQ(vision.quota().studies(), 10);
  EXPECT_EQ(vision.quota().trials(), 1000);
  EXPECT_FALSE(vision.quota().has_source_tasks());
  EXPECT_EQ(vision.quota().bytes(), 1 << 20);
  EXPECT_EQ(vision.quota().calls_per_second(), 2.5);
}

TEST_F(QuotasTest, AnOperatorSeesItsOwnProjectsInTheStatus) {
  Write("vision 10 - - - -\nnlp 10 - - - -\n");
  const Token token = MakeToken("ops").value();
  const std::string tokens = scratch_.path() + "/tokens";
  std::ofstream(tokens) << TokenLine(ParseIdentity("ops", "operator", "vision").value(),
                                     token.hash);
  Start({"--token-file", tokens});
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + token.text);
  v1::ServerStatus status;
  ASSERT_TRUE(stub().GetServerStatus(&context, v1::GetServerStatusRequest(), &status).ok());
  ASSERT_EQ(status.projects_size(), 1);
  EXPECT_EQ(status.projects(0).name(), "projects/vision");
}

TEST_F(QuotasTest, WithoutTheFlagNothingIsLimitedAndProjectsAreShown) {
  server_.emplace(data_.path());
  ASSERT_TRUE(Create("s", "vision").ok());
  ASSERT_EQ(Status().projects_size(), 1);
  EXPECT_EQ(Status().projects(0).studies(), 1);
  EXPECT_EQ(Status().projects(0).quota().ByteSizeLong(), 0u);
}

}  // namespace
}  // namespace slipstream
