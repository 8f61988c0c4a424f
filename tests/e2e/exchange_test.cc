// Whole studies out of a server and into one, over a real socket.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;
using Lines = std::vector<v1::ExportLine>;

class Exchange : public ::testing::Test {
 protected:
  static grpc::Status Export(Stub& stub, const std::string& name, Lines* lines) {
    grpc::ClientContext context;
    v1::ExportStudyRequest request;
    request.set_name(name);
    const auto reader = stub.ExportStudy(&context, request);
    v1::ExportStudyResponse response;
    while (reader->Read(&response)) {
      lines->insert(lines->end(), response.lines().begin(), response.lines().end());
    }
    return reader->Finish();
  }
  // Each line in a message of its own. Breaks off instead of ending if `ends` is false.
  static grpc::Status Import(Stub& stub, const Lines& lines, const std::string& id,
                             const std::string& request_id = "", bool ends = true) {
    grpc::ClientContext context;
    v1::Study study;
    const auto writer = stub.ImportStudy(&context, &study);
    v1::ImportStudyRequest message;
    message.mutable_header()->set_study_id(id);
    message.mutable_header()->set_request_id(request_id);
    bool alive = writer->Write(message);
    for (const v1::ExportLine& line : lines) {
      message.Clear();
      *message.add_lines() = line;
      alive = alive && writer->Write(message);
    }
    if (!ends) context.TryCancel();
    writer->WritesDone();
    return writer->Finish();
  }
  bool Exists(const std::string& name) {
    v1::GetStudyRequest request;
    request.set_name(name);
    return Call(server_.stub(), &Stub::GetStudy, request).ok();
  }
  // A study with a trial that succeeded, one that is ACTIVE and one that waits.
  void MakeStudy() {
    Stub& stub = server_.stub();
    ASSERT_TRUE(Call(stub, &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
    v1::SuggestResponse held;
    ASSERT_TRUE(Call(stub, &Stub::Suggest, AskRequest("studies/s", "w", 2), &held).ok());
    ASSERT_TRUE(
        Call(stub, &Stub::Observe, TellRequest(held.trials(0).name(), LossOutcome(0.5))).ok());
    v1::AddTrialsRequest added;
    added.set_study("studies/s");
    *added.add_observations()->mutable_configuration() = ExampleConfiguration();
    ASSERT_TRUE(Call(stub, &Stub::AddTrials, added).ok());
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path()};
};

TEST_F(Exchange, AStudyMovesToAnotherServer) {
  MakeStudy();
  Lines lines;
  ASSERT_TRUE(Export(server_.stub(), "studies/s", &lines).ok());
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[3].trial().trial().state(), v1::Trial::ACTIVE);
  TemporaryFolder folder;
  ServerProcess other(folder.path());
  const grpc::Status imported = Import(other.stub(), lines, "");
  ASSERT_TRUE(imported.ok()) << imported.error_message();
  Lines again;
  ASSERT_TRUE(Export(other.stub(), "studies/s", &again).ok());
  ASSERT_EQ(again.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == 3) continue;
    EXPECT_EQ(again[i].DebugString(), lines[i].DebugString());
  }
  // Nobody holds the trial that was ACTIVE.
  EXPECT_EQ(again[3].trial().trial().state(), v1::Trial::REQUESTED);
  EXPECT_EQ(again[3].trial().provenance().DebugString(),
            lines[3].trial().provenance().DebugString());
}

TEST_F(Exchange, AnImportThatBreaksOffStoresNothing) {
  MakeStudy();
  Lines lines;
  ASSERT_TRUE(Export(server_.stub(), "studies/s", &lines).ok());
  EXPECT_FALSE(Import(server_.stub(), lines, "copy", "", /*ends=*/false).ok());
  Lines cut(lines.begin(), lines.end() - 1);
  const grpc::Status refused = Import(server_.stub(), cut, "copy");
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("line 6"));
  EXPECT_FALSE(Exists("studies/copy"));
}

TEST_F(Exchange, AFaultIsToldWithItsLineFieldAndBound) {
  MakeStudy();
  Lines lines;
  ASSERT_TRUE(Export(server_.stub(), "studies/s", &lines).ok());
  (*lines[2].mutable_trial()->mutable_trial()->mutable_measurement()->mutable_metrics())["x"] = 1;
  const grpc::Status refused = Import(server_.stub(), lines, "copy");
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ViolationIn(refused).field(), HasSubstr("line 3: trial.trial.measurement"));
  EXPECT_FALSE(Exists("studies/copy"));
}

TEST_F(Exchange, AnImportIsMadeOnceAndOutlivesACrash) {
  MakeStudy();
  Lines lines;
  ASSERT_TRUE(Export(server_.stub(), "studies/s", &lines).ok());
  ASSERT_TRUE(Import(server_.stub(), lines, "copy", "the-id").ok());
  server_.Kill();
  ServerProcess again(data_.path());
  EXPECT_TRUE(Import(again.stub(), lines, "copy", "the-id").ok());
  EXPECT_EQ(Import(again.stub(), lines, "copy", "new-id").error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  Lines stored;
  ASSERT_TRUE(Export(again.stub(), "studies/copy", &stored).ok());
  EXPECT_EQ(stored.size(), lines.size());
}

// Callers that begin to read and stop, of whom the server has memory for some.
TEST_F(Exchange, ExportsThatNobodyReadsAreBounded) {
  TemporaryFolder folder;
  ServerProcess small(folder.path(), {"--call-memory-mib", "64"});
  ASSERT_TRUE(Call(small.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  v1::AddTrialsRequest added;
  added.set_study("studies/s");
  // Ten mebibytes, more than connections take in for callers who do not read.
  for (int i = 0; i < 1000; ++i) {
    v1::Observation* const observation = added.add_observations();
    *observation->mutable_configuration() = ExampleConfiguration();
    observation->mutable_outcome()->mutable_failure()->set_reason(std::string(1000, 'x'));
  }
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Call(small.stub(), &Stub::AddTrials, added).ok());
  struct Stalled {
    std::unique_ptr<Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::ExportStudyResponse>> reader;
  };
  v1::ExportStudyRequest request;
  request.set_name("studies/s");
  // Each on a connection of its own, as what one call does not read holds up the others on it.
  grpc::ChannelArguments own_connection;
  own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::vector<Stalled> stalled(100);
  int refused = 0;
  for (Stalled& call : stalled) {
    call.stub = v1::OptimizationService::NewStub(grpc::CreateCustomChannel(
        small.address(), grpc::InsecureChannelCredentials(), own_connection));
    call.reader = call.stub->ExportStudy(&call.context, request);
    v1::ExportStudyResponse response;
    if (call.reader->Read(&response)) continue;
    const grpc::Status status = call.reader->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(status.error_message(), HasSubstr("--call-memory-mib"));
    call.reader.reset();
    ++refused;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 100);
  for (Stalled& call : stalled) {
    if (call.reader == nullptr) continue;
    call.context.TryCancel();
    (void)call.reader->Finish();
  }
  // What they held is given back.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Lines lines;
  while (!Export(small.stub(), "studies/s", &lines).ok()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    lines.clear();
  }
  EXPECT_EQ(lines.size(), 10003u);
}

}  // namespace
}  // namespace slipstream
