#include "server/service/source_task_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Header = v1::RegisterSourceTaskRequest::Header;

class SourceTaskServiceTest : public ServiceFixture {
 protected:
  absl::StatusCode Delete(const std::string& name) {
    v1::DeleteSourceTaskRequest request;
    request.set_name(name);
    return Call(&SourceTaskService::DeleteSourceTask, request).code();
  }
  absl::StatusCode Get(const std::string& name, v1::SourceTask* task) {
    v1::GetSourceTaskRequest request;
    request.set_name(name);
    return Call(&SourceTaskService::GetSourceTask, request, task).code();
  }
  // The field that the call is refused for; empty if it is not.
  std::string RefusedField(const v1::ListSourceObservationsRequest& request) {
    const absl::Status status = Call(&SourceTaskService::ListSourceObservations, request);
    return status.ok() ? "" : ViolationOf(status).value_or(FieldViolation{}).field;
  }
};

TEST_F(SourceTaskServiceTest, ARegisteredTaskReadsBackAndIsRegisteredOnce) {
  v1::RegisterSourceTaskResponse first;
  ASSERT_TRUE(Register(ExampleObservations(20), &first).ok());
  EXPECT_FALSE(first.already_registered());
  EXPECT_EQ(first.source_task().observation_count(), 20);
  v1::SourceTask read;
  ASSERT_EQ(Get(first.source_task().name(), &read), absl::StatusCode::kOk);
  EXPECT_EQ(read.DebugString(), first.source_task().DebugString());
  v1::RegisterSourceTaskResponse second;
  ASSERT_TRUE(Register(ExampleObservations(20), &second).ok());
  EXPECT_TRUE(second.already_registered());
  EXPECT_EQ(second.source_task().name(), first.source_task().name());
}

TEST_F(SourceTaskServiceTest, ARepeatedRegistrationGetsTheFirstAnswer) {
  Header header;
  header.set_request_id("the-id");
  v1::RegisterSourceTaskResponse first;
  ASSERT_TRUE(Register(ExampleObservations(5), &first, header).ok());
  Restart();
  v1::RegisterSourceTaskResponse repeat;
  ASSERT_TRUE(Register(ExampleObservations(5), &repeat, header).ok());
  EXPECT_EQ(repeat.DebugString(), first.DebugString());
  EXPECT_FALSE(repeat.already_registered());
  const absl::Status refused = Register(ExampleObservations(6), &repeat, header);
  ASSERT_TRUE(ViolationOf(refused).has_value()) << refused;
  EXPECT_EQ(ViolationOf(refused)->field, "request_id");
}

TEST_F(SourceTaskServiceTest, ValidationAnswersLikeRegistrationAndStoresNothing) {
  Header header;
  header.set_validate_only(true);
  v1::RegisterSourceTaskResponse checked;
  ASSERT_TRUE(Register(ExampleObservations(5), &checked, header).ok());
  EXPECT_FALSE(checked.already_registered());
  EXPECT_FALSE(checked.source_task().has_create_time());
  v1::SourceTask task;
  EXPECT_EQ(Get(checked.source_task().name(), &task), absl::StatusCode::kNotFound);
  EXPECT_EQ(RegisterExample(5), checked.source_task().name());
  ASSERT_TRUE(Register(ExampleObservations(5), &checked, header).ok());
  EXPECT_TRUE(checked.already_registered());
}

TEST_F(SourceTaskServiceTest, ObservationsComeBackPageByPageAndMakeTheSameTask) {
  std::vector<v1::Observation> observations;
  for (int task = 0; task < 10; ++task) {
    for (const v1::Observation& each : ExampleObservations(1000, task)) {
      observations.push_back(each);
    }
  }
  v1::RegisterSourceTaskResponse registered;
  ASSERT_TRUE(Register(observations, &registered).ok());
  std::vector<v1::Observation> read;
  v1::ListSourceObservationsRequest request;
  request.set_source_task(registered.source_task().name());
  request.set_page_size(997);
  int pages = 0;
  do {
    v1::ListSourceObservationsResponse page;
    ASSERT_TRUE(Call(&SourceTaskService::ListSourceObservations, request, &page).ok());
    ASSERT_LE(page.observations_size(), 997);
    read.insert(read.end(), page.observations().begin(), page.observations().end());
    request.set_page_token(page.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  EXPECT_EQ(pages, 11);
  ASSERT_EQ(read.size(), observations.size());
  for (size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i].DebugString(), observations[i].DebugString()) << i;
  }

  v1::RegisterSourceTaskResponse again;
  ASSERT_TRUE(Register(read, &again).ok());
  EXPECT_TRUE(again.already_registered());
  EXPECT_EQ(again.source_task().name(), registered.source_task().name());
}

TEST_F(SourceTaskServiceTest, APageOfObservationsHasABoundAndATaskOfItsOwn) {
  v1::ListSourceObservationsRequest request;
  request.set_source_task("sourceTasks/00000000000000000000000000000000");
  v1::ListSourceObservationsResponse page;
  EXPECT_EQ(Call(&SourceTaskService::ListSourceObservations, request, &page).code(),
            absl::StatusCode::kNotFound);
  v1::RegisterSourceTaskResponse one;
  v1::RegisterSourceTaskResponse other;
  ASSERT_TRUE(Register(ExampleObservations(3), &one).ok());
  ASSERT_TRUE(Register(ExampleObservations(4), &other).ok());
  request.set_source_task(one.source_task().name());
  for (const int size : {-1, 1001}) {
    request.set_page_size(size);
    EXPECT_EQ(RefusedField(request), "page_size");
  }
  request.set_page_size(2);
  ASSERT_TRUE(Call(&SourceTaskService::ListSourceObservations, request, &page).ok());
  EXPECT_EQ(page.observations_size(), 2);
  request.set_page_token(page.next_page_token());
  page.Clear();
  ASSERT_TRUE(Call(&SourceTaskService::ListSourceObservations, request, &page).ok());
  EXPECT_EQ(page.observations_size(), 1);
  EXPECT_EQ(page.next_page_token(), "");
  request.set_source_task(other.source_task().name());
  EXPECT_EQ(RefusedField(request), "page_token");
  // Registered again it may have another order.
  request.set_source_task(one.source_task().name());
  EXPECT_EQ(Delete(one.source_task().name()), absl::StatusCode::kOk);
  ASSERT_TRUE(Register(ExampleObservations(3), &one).ok());
  EXPECT_EQ(RefusedField(request), "page_token");
  request.set_page_token("");
  request.set_source_task("studies/s");
  EXPECT_EQ(RefusedField(request), "source_task");
}

TEST_F(SourceTaskServiceTest, ATaskInUseIsNotDeletedAndTheErrorNamesAUser) {
  const std::string registered = RegisterExample(5);
  v1::Study study = ExampleStudy("source_portfolio");
  study.add_source_tasks(registered);
  Create(study, "user");
  v1::DeleteSourceTaskRequest request;
  request.set_name(registered);
  const absl::Status refused = Call(&SourceTaskService::DeleteSourceTask, request);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("user"));
  ServiceFixture::Delete("user");
  EXPECT_EQ(Delete(request.name()), absl::StatusCode::kOk);
  EXPECT_EQ(Delete(request.name()), absl::StatusCode::kNotFound);
  EXPECT_EQ(Delete("sourceTasks/x"), absl::StatusCode::kInvalidArgument);
}

TEST_F(SourceTaskServiceTest, PagesListEveryTaskOnce) {
  for (int count = 1; count <= 3; ++count) RegisterExample(count);
  v1::ListSourceTasksRequest request;
  request.set_page_size(2);
  std::vector<int64_t> counts;
  do {
    v1::ListSourceTasksResponse page;
    ASSERT_TRUE(Call(&SourceTaskService::ListSourceTasks, request, &page).ok());
    for (const v1::SourceTask& task : page.source_tasks()) {
      counts.push_back(task.observation_count());
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(counts, ElementsAre(1, 2, 3));
}

// Each is read after the list of them.
TEST_F(SourceTaskServiceTest, ATaskThatIsDeletedMeanwhileIsNotListed) {
  std::vector<std::string> names;
  for (int count = 1; count <= 2; ++count) names.push_back(RegisterExample(count));
  Restart();  // Nothing is being fitted, which reads them too.
  std::atomic<bool> is_first = true;
  before_read_ = [&](const std::string& verb) {
    if (verb != "GetSourceTask" || !is_first.exchange(false)) return;
    EXPECT_EQ(Delete(names[0]), absl::StatusCode::kOk);
  };
  v1::ListSourceTasksResponse page;
  ASSERT_TRUE(Call(&SourceTaskService::ListSourceTasks, v1::ListSourceTasksRequest(), &page).ok());
  before_read_ = nullptr;
  ASSERT_EQ(page.source_tasks_size(), 1);
  EXPECT_EQ(page.source_tasks(0).name(), names[1]);
}

}  // namespace
}  // namespace slipstream
