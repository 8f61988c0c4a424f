// Source tasks over a real socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;
using Header = v1::RegisterSourceTaskRequest::Header;

Header ExampleHeader(const std::string& title = "last year's run") {
  const v1::Study study = ExampleStudy();
  Header header;
  *header.mutable_source_task()->mutable_space() = study.space();
  *header.mutable_source_task()->mutable_metrics() = study.metrics();
  header.mutable_source_task()->set_display_name(title);
  return header;
}

// `count` observations within 2 decades of the best one, at lr = 0.01.
std::vector<v1::Observation> ExampleObservations(int count) {
  std::vector<v1::Observation> observations;
  for (int i = 0; i < count; ++i) {
    const double exponent = -4.0 + 4.0 * i / std::max(1, count - 1);
    const double loss = (exponent + 2) * (exponent + 2);
    observations.push_back(
        MeasuredObservation(ExampleConfiguration(std::pow(10, exponent), 1 + i % 8), loss));
  }
  return observations;
}

class SourceTasks : public ::testing::Test {
 protected:
  Stub& stub() { return server_->stub(); }
  v1::RegisterSourceTaskResponse MustRegister(const Header& header,
                                              const std::vector<v1::Observation>& observations) {
    v1::RegisterSourceTaskResponse response;
    const grpc::Status status = Register(stub(), header, observations, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  grpc::Status Refused(const Header& header, const std::vector<v1::Observation>& observations) {
    v1::RegisterSourceTaskResponse response;
    const grpc::Status status = Register(stub(), header, observations, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    return status;
  }
  v1::ListSourceTasksResponse List() {
    v1::ListSourceTasksResponse tasks;
    EXPECT_TRUE(Call(stub(), &Stub::ListSourceTasks, v1::ListSourceTasksRequest(), &tasks).ok());
    return tasks;
  }
  grpc::Status Delete(const std::string& name) {
    v1::DeleteSourceTaskRequest request;
    request.set_name(name);
    return Call(stub(), &Stub::DeleteSourceTask, request);
  }

  TemporaryFolder data_;
  std::optional<ServerProcess> server_{std::in_place, data_.path()};
};

// What was sent before the caller cancels could pass for a complete upload.
TEST_F(SourceTasks, AnUploadThatIsCutOffRegistersNothingAndLeavesItsRequestIdFree) {
  const std::vector<v1::Observation> observations = ExampleObservations(41);
  Header header = ExampleHeader();
  header.set_request_id("upload");
  for (int i = 0; i < 40; ++i) {
    grpc::ClientContext context;
    v1::RegisterSourceTaskResponse response;
    const auto writer = stub().RegisterSourceTask(&context, &response);
    v1::RegisterSourceTaskRequest message;
    *message.mutable_header() = header;
    ASSERT_TRUE(writer->Write(message));
    message.Clear();
    for (int k = 0; k < 1 + i; ++k) *message.add_observations() = observations[k];
    ASSERT_TRUE(writer->Write(message));
    // Cancels while the server reads, or after as many other calls when it waits.
    for (int calls = 0; calls < i % 4; ++calls) List();
    context.TryCancel();
    EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  // Draining ends every upload that the server has begun to read.
  EXPECT_EQ(server_->Terminate().exit_code, 0);
  server_.emplace(data_.path());
  EXPECT_EQ(List().source_tasks_size(), 0);
  EXPECT_EQ(MustRegister(header, observations).source_task().observation_count(), 41);
}

TEST_F(SourceTasks, ARegisteredTaskReadsBackWithItsBest) {
  const auto response = MustRegister(ExampleHeader(), ExampleObservations(41));
  EXPECT_FALSE(response.already_registered());
  v1::GetSourceTaskRequest request;
  request.set_name(response.source_task().name());
  v1::SourceTask task;
  ASSERT_TRUE(Call(stub(), &Stub::GetSourceTask, request, &task).ok());
  EXPECT_EQ(task.DebugString(), response.source_task().DebugString());
  EXPECT_EQ(task.display_name(), "last year's run");
  EXPECT_EQ(task.observation_count(), 41);
  EXPECT_EQ(task.measured_count(), 41);
  EXPECT_NEAR(task.best().configuration().values().at("lr").double_value(), 0.01, 1e-9);
}

TEST_F(SourceTasks, TheSameContentIsTheSameResourceInAnyOrder) {
  std::vector<v1::Observation> observations = ExampleObservations(20);
  const auto first = MustRegister(ExampleHeader("first"), observations);
  std::reverse(observations.begin(), observations.end());
  const auto second = MustRegister(ExampleHeader("second"), observations);
  EXPECT_TRUE(second.already_registered());
  EXPECT_EQ(second.source_task().name(), first.source_task().name());
  EXPECT_EQ(second.source_task().display_name(), "first");
  observations.pop_back();
  const auto other = MustRegister(ExampleHeader("first"), observations);
  EXPECT_FALSE(other.already_registered());
  EXPECT_NE(other.source_task().name(), first.source_task().name());
}

TEST_F(SourceTasks, ValidationAloneStoresNothing) {
  Header header = ExampleHeader();
  header.set_validate_only(true);
  const auto response = MustRegister(header, ExampleObservations(5));
  v1::GetSourceTaskRequest request;
  request.set_name(response.source_task().name());
  EXPECT_EQ(Call(stub(), &Stub::GetSourceTask, request).error_code(),
            grpc::StatusCode::NOT_FOUND);
  header.set_validate_only(false);
  EXPECT_EQ(MustRegister(header, ExampleObservations(5)).source_task().name(), request.name());
}

TEST_F(SourceTasks, BadObservationsAreRefusedByTheirIndexInTheWholeCall) {
  std::vector<v1::Observation> observations = ExampleObservations(2500);
  observations[2100] = MeasuredObservation(ExampleConfiguration(5.0), 1);
  const grpc::Status status = Refused(ExampleHeader(), observations);
  EXPECT_EQ(ViolationIn(status).field(), "observations[2100].configuration.values[lr]");
  observations[2100] = MeasuredObservation(ExampleConfiguration(), std::nan(""));
  EXPECT_EQ(ViolationIn(Refused(ExampleHeader(), observations)).field(),
            "observations[2100].outcome.measurement.metrics[loss]");
  EXPECT_EQ(List().source_tasks_size(), 0) << "a refused upload leaves nothing behind";
}

TEST_F(SourceTasks, BadHeadersAreRefused) {
  EXPECT_EQ(ViolationIn(Refused(ExampleHeader(), {})).field(), "observations");
  Header header = ExampleHeader();
  header.mutable_source_task()->clear_metrics();
  EXPECT_EQ(ViolationIn(Refused(header, ExampleObservations(1))).field(),
            "header.source_task.metrics");
  header = ExampleHeader();
  *header.mutable_source_task()->mutable_space() = CandidateStudy(2).space();
  EXPECT_EQ(ViolationIn(Refused(header, ExampleObservations(1))).field(),
            "header.source_task.space.candidates");
  grpc::ClientContext context;
  v1::RegisterSourceTaskResponse response;
  const auto writer = stub().RegisterSourceTask(&context, &response);
  writer->WritesDone();
  EXPECT_EQ(ViolationIn(writer->Finish()).field(), "header");
}

TEST_F(SourceTasks, AHundredThousandObservationsGoIntoOneCallAndNoMore) {
  std::vector<v1::Observation> observations = ExampleObservations(100000);
  const auto response = MustRegister(ExampleHeader(), observations);
  EXPECT_EQ(response.source_task().observation_count(), 100000);
  v1::ListSourceObservationsRequest list;
  list.set_source_task(response.source_task().name());
  size_t read = 0;
  do {
    v1::ListSourceObservationsResponse page;
    ASSERT_TRUE(Call(stub(), &Stub::ListSourceObservations, list, &page).ok());
    for (const v1::Observation& observation : page.observations()) {
      ASSERT_EQ(observation.DebugString(), observations[read++].DebugString());
    }
    list.set_page_token(page.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_EQ(read, 100000u);
  observations.push_back(observations.front());
  const grpc::Status status = Refused(ExampleHeader(), observations);
  EXPECT_EQ(ViolationIn(status).field(), "observations");
  EXPECT_THAT(ViolationIn(status).bound(), HasSubstr("100000"));
}

TEST_F(SourceTasks, ATaskInUseIsNotDeleted) {
  const std::string name =
      MustRegister(ExampleHeader(), ExampleObservations(5)).source_task().name();
  v1::Study study = ExampleStudy("source_portfolio");
  study.add_source_tasks(name);
  ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(study, "user")).ok());
  const grpc::Status status = Delete(name);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("user"));
  v1::DeleteStudyRequest request;
  request.set_name("studies/user");
  ASSERT_TRUE(Call(stub(), &Stub::DeleteStudy, request).ok());
  EXPECT_TRUE(Delete(name).ok());
  EXPECT_EQ(Delete(name).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(SourceTasks, ASourceWithoutACommonParameterIsRefusedNamingBothSpaces) {
  const std::string name =
      MustRegister(ExampleHeader(), ExampleObservations(5)).source_task().name();
  v1::Study study = CandidateStudy(3, "source_portfolio");
  study.add_source_tasks(name);
  const grpc::Status status = Call(stub(), &Stub::CreateStudy, CreateRequest(study, "s"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ViolationIn(status).field(), "study.source_tasks[0]");
  EXPECT_THAT(status.error_message(), HasSubstr("layers"));
  EXPECT_THAT(status.error_message(), HasSubstr("x"));
}

TEST_F(SourceTasks, AStudyBeginsWithItsSourcesBestAndRecordsIt) {
  const std::string name =
      MustRegister(ExampleHeader(), ExampleObservations(41)).source_task().name();
  v1::Study study = ExampleStudy("source_portfolio");
  study.add_source_tasks(name);
  ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(study, "rider")).ok());
  v1::SuggestResponse response;
  ASSERT_TRUE(Call(stub(), &Stub::Suggest, AskRequest("studies/rider", "w"), &response).ok());
  EXPECT_NEAR(response.trials(0).configuration().values().at("lr").double_value(), 0.01, 1e-9);
  v1::ExplainRequest request;
  request.set_trial(response.trials(0).name());
  v1::Explanation explanation;
  ASSERT_TRUE(Call(stub(), &Stub::Explain, request, &explanation).ok());
  ASSERT_EQ(explanation.provenance().sources_size(), 1);
  EXPECT_EQ(explanation.provenance().sources(0).source_task(), name);
  EXPECT_GT(explanation.provenance().sources(0).weight(), 0);
}

TEST_F(SourceTasks, PagesListEveryTaskOnce) {
  for (int i = 1; i <= 5; ++i) MustRegister(ExampleHeader(), ExampleObservations(i));
  v1::ListSourceTasksRequest request;
  request.set_page_size(2);
  std::vector<int64_t> counts;
  do {
    v1::ListSourceTasksResponse page;
    ASSERT_TRUE(Call(stub(), &Stub::ListSourceTasks, request, &page).ok());
    for (const v1::SourceTask& task : page.source_tasks()) {
      counts.push_back(task.observation_count());
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(counts, ::testing::ElementsAre(1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace slipstream
