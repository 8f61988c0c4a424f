// Repeated request ids: every call that changes anything, also across a restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

class Repeats : public ::testing::Test {
 protected:
  void SetUp() override { Start(); }
  void Start() { server_.emplace(data_.path()); }
  void Restart() {
    server_->Kill();
    Start();
  }
  Stub& stub() { return server_->stub(); }

  // Expects the same answer from one call, its repeat, and its repeat after a
  // restart, and a refusal of the same id with other content.
  template <typename Request, typename Response>
  void ExpectRepeatable(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                     Response*),
                        Request request, const Request& other) {
    request.set_request_id("the-id");
    Response first;
    const grpc::Status status = Call(stub(), method, request, &first);
    ASSERT_TRUE(status.ok()) << status.error_message();
    for (int i = 0; i < 2; ++i) {
      Response repeat;
      const grpc::Status again = Call(stub(), method, request, &repeat);
      ASSERT_TRUE(again.ok()) << again.error_message();
      EXPECT_EQ(repeat.DebugString(), first.DebugString());
      if (i == 0) Restart();
    }
    Request wrong = other;
    wrong.set_request_id("the-id");
    const grpc::Status refused = Call(stub(), method, wrong);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(ViolationIn(refused).field(), "request_id") << refused.error_message();
    EXPECT_EQ(ViolationIn(refused).value(), "the-id");
  }

  void CreateStudy(const std::string& id) {
    ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), id)).ok());
  }
  std::string Suggest(const std::string& worker) {
    v1::SuggestResponse response;
    EXPECT_TRUE(
        Call(stub(), &Stub::Suggest, AskRequest("studies/s", worker), &response).ok());
    return response.trials(0).name();
  }
  int64_t TrialCount() {
    v1::GetStudyRequest request;
    request.set_name("studies/s");
    v1::Study study;
    EXPECT_TRUE(Call(stub(), &Stub::GetStudy, request, &study).ok());
    return study.trial_count();
  }

  TemporaryFolder data_;
  std::optional<ServerProcess> server_;
};

TEST_F(Repeats, CreateStudyAlsoWithAnIdThatTheServerChooses) {
  ExpectRepeatable(&Stub::CreateStudy, CreateRequest(ExampleStudy(""), ""),
                   CreateRequest(ExampleStudy("random"), ""));
  v1::ListStudiesResponse list;
  ASSERT_TRUE(Call(stub(), &Stub::ListStudies, v1::ListStudiesRequest(), &list).ok());
  EXPECT_EQ(list.studies_size(), 1);
}

TEST_F(Repeats, UpdateStudy) {
  CreateStudy("s");
  v1::UpdateStudyRequest request;
  request.mutable_study()->set_name("studies/s");
  request.mutable_study()->set_display_name("one");
  request.mutable_update_mask()->add_paths("display_name");
  v1::UpdateStudyRequest other = request;
  other.mutable_study()->set_display_name("two");
  ExpectRepeatable(&Stub::UpdateStudy, request, other);
}

TEST_F(Repeats, DeleteStudy) {
  CreateStudy("s");
  CreateStudy("t");
  v1::DeleteStudyRequest request;
  request.set_name("studies/s");
  v1::DeleteStudyRequest other;
  other.set_name("studies/t");
  ExpectRepeatable(&Stub::DeleteStudy, request, other);
}

TEST_F(Repeats, SuggestGivesTheFirstAnswerThoughATrialHasEnded) {
  CreateStudy("s");
  ExpectRepeatable(&Stub::Suggest, AskRequest("studies/s", "w", 3),
                   AskRequest("studies/s", "w", 4));
  EXPECT_EQ(TrialCount(), 3);
  ASSERT_TRUE(
      Call(stub(), &Stub::Observe, TellRequest("studies/s/trials/1", LossOutcome(1))).ok());
  v1::SuggestResponse repeat;
  ASSERT_TRUE(
      Call(stub(), &Stub::Suggest, AskRequest("studies/s", "w", 3, "the-id"), &repeat).ok());
  ASSERT_EQ(repeat.trials_size(), 3);
  EXPECT_EQ(repeat.trials(0).state(), v1::Trial::ACTIVE);
}

TEST_F(Repeats, Observe) {
  CreateStudy("s");
  const std::string trial = Suggest("w");
  ExpectRepeatable(&Stub::Observe, TellRequest(trial, LossOutcome(1)),
                   TellRequest(trial, LossOutcome(2)));
  const std::string second = Suggest("w");
  const grpc::Status elsewhere =
      Call(stub(), &Stub::Observe, TellRequest(second, LossOutcome(1), "the-id"));
  EXPECT_EQ(elsewhere.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(Repeats, AddTrialsAddsThemOnce) {
  CreateStudy("s");
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  v1::AddTrialsRequest other = request;
  *other.add_observations() = MeasuredObservation(ExampleConfiguration(), 2);
  ExpectRepeatable(&Stub::AddTrials, request, other);
  EXPECT_EQ(TrialCount(), 1);
}

TEST_F(Repeats, RegisterAndDeleteSourceTask) {
  v1::RegisterSourceTaskRequest::Header header;
  *header.mutable_source_task()->mutable_space() = ExampleStudy().space();
  *header.mutable_source_task()->mutable_metrics() = ExampleStudy().metrics();
  header.set_request_id("register");
  const std::vector<v1::Observation> one = {MeasuredObservation(ExampleConfiguration(), 1)};
  const std::vector<v1::Observation> two = {MeasuredObservation(ExampleConfiguration(), 2)};
  v1::RegisterSourceTaskResponse first;
  ASSERT_TRUE(Register(stub(), header, one, &first).ok());
  Restart();
  v1::RegisterSourceTaskResponse repeat;
  ASSERT_TRUE(Register(stub(), header, one, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  EXPECT_FALSE(repeat.already_registered()) << "the first answer, not a new one";
  const grpc::Status refused = Register(stub(), header, two, &repeat);
  EXPECT_EQ(ViolationIn(refused).field(), "request_id");
  ASSERT_TRUE(Register(stub(), header, one, &repeat).ok());
  header.set_request_id("register-two");
  v1::RegisterSourceTaskResponse second;
  ASSERT_TRUE(Register(stub(), header, two, &second).ok());
  v1::DeleteSourceTaskRequest request;
  request.set_name(first.source_task().name());
  v1::DeleteSourceTaskRequest other;
  other.set_name(second.source_task().name());
  ExpectRepeatable(&Stub::DeleteSourceTask, request, other);
}

TEST_F(Repeats, AnIdBelongsToOneMethod) {
  CreateStudy("s");
  const std::string trial = Suggest("w");
  ASSERT_TRUE(
      Call(stub(), &Stub::Observe, TellRequest(trial, LossOutcome(1), "the-id")).ok());
  const grpc::Status refused =
      Call(stub(), &Stub::Suggest, AskRequest("studies/s", "w", 1, "the-id"));
  EXPECT_EQ(ViolationIn(refused).field(), "request_id") << refused.error_message();
}

TEST_F(Repeats, AnIdBelongsToOneProject) {
  for (const char* parent : {"", "projects/vision", "projects/speech"}) {
    v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "s");
    request.set_parent(parent);
    v1::CreateStudyRequest other = CreateRequest(ExampleStudy("random"), "other");
    other.set_parent(parent);
    ExpectRepeatable(&Stub::CreateStudy, request, other);
  }
}

TEST_F(Repeats, ARefusedRequestIsNotRemembered) {
  const v1::SuggestRequest request = AskRequest("studies/s", "w", 1, "the-id");
  EXPECT_EQ(Call(stub(), &Stub::Suggest, request).error_code(), grpc::StatusCode::NOT_FOUND);
  CreateStudy("s");
  EXPECT_TRUE(Call(stub(), &Stub::Suggest, request).ok());
}

// The trial that was observed is gone; a later trial of its name is not the answer.
TEST_F(Repeats, ARepeatedObserveIsNotFoundOnceItsStudyIsDeletedThoughAnotherHasItsName) {
  CreateStudy("s");
  const v1::ObserveRequest request = TellRequest(Suggest("w"), LossOutcome(1), "the-id");
  ASSERT_TRUE(Call(stub(), &Stub::Observe, request).ok());
  v1::DeleteStudyRequest deletion;
  deletion.set_name("studies/s");
  ASSERT_TRUE(Call(stub(), &Stub::DeleteStudy, deletion).ok());
  EXPECT_EQ(Call(stub(), &Stub::Observe, request).error_code(), grpc::StatusCode::NOT_FOUND);
  CreateStudy("s");
  ASSERT_EQ(Suggest("other"), request.trial());
  const grpc::Status repeated = Call(stub(), &Stub::Observe, request);
  EXPECT_EQ(repeated.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(repeated.error_message(), HasSubstr("is not the trial that the call is about"));
}

TEST_F(Repeats, ARepeatedAddTrialsGetsTheFirstAnswerThoughItsStudyIsGone) {
  CreateStudy("s");
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  request.set_request_id("the-id");
  *request.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  v1::AddTrialsResponse first;
  ASSERT_TRUE(Call(stub(), &Stub::AddTrials, request, &first).ok());
  v1::DeleteStudyRequest deletion;
  deletion.set_name("studies/s");
  ASSERT_TRUE(Call(stub(), &Stub::DeleteStudy, deletion).ok());
  Restart();
  v1::AddTrialsResponse repeat;
  ASSERT_TRUE(Call(stub(), &Stub::AddTrials, request, &repeat).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  request.set_request_id("another-id");
  EXPECT_EQ(Call(stub(), &Stub::AddTrials, request).error_code(), grpc::StatusCode::NOT_FOUND);
}

// What a trial takes in the file while the answers to its calls are kept for repeats: some
// 560 bytes.
TEST_F(Repeats, KeptAnswersAddLittleToWhatATrialTakes) {
  constexpr int kTrials = 500;
  constexpr int64_t kMostBytes = 750;
  CreateStudy("s");
  const auto file_size = [this] {
    EXPECT_EQ(server_->Terminate().exit_code, 0);  // Moves the log to the file.
    return static_cast<int64_t>(std::filesystem::file_size(data_.path() + "/slipstream.db"));
  };
  const int64_t before = file_size();
  Start();
  for (int i = 1; i <= kTrials; ++i) {
    const std::string id = absl::StrFormat("01a20ba2-e0af-71aa-a826-%012d", i);
    ASSERT_TRUE(
        Call(stub(), &Stub::Suggest, AskRequest("studies/s", "worker-1", 1, "s" + id)).ok());
    ASSERT_TRUE(Call(stub(), &Stub::Observe,
                     TellRequest("studies/s/trials/" + std::to_string(i), LossOutcome(i), id))
                    .ok());
  }
  const int64_t bytes = (file_size() - before) / kTrials;
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LT(bytes, kMostBytes);
  EXPECT_GT(bytes, kMostBytes / 2);
}

}  // namespace
}  // namespace slipstream
