#include "server/service/source_task_upload.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/status.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

v1::RegisterSourceTaskRequest HeaderMessage() {
  v1::RegisterSourceTaskRequest message;
  v1::SourceTask* task = message.mutable_header()->mutable_source_task();
  *task->mutable_space() = ExampleStudy().space();
  *task->mutable_metrics() = ExampleStudy().metrics();
  message.mutable_header()->set_request_id("the-id");
  return message;
}

v1::RegisterSourceTaskRequest ObservationsMessage(int count) {
  v1::RegisterSourceTaskRequest message;
  for (const v1::Observation& each : ExampleObservations(count)) *message.add_observations() = each;
  return message;
}

std::string FieldOf(const absl::Status& status) {
  return ViolationOf(status) ? ViolationOf(status)->field : "";
}

TEST(SourceTaskUpload, NeedsOneHeaderInItsFirstMessage) {
  SourceTaskUpload without;
  EXPECT_EQ(FieldOf(without.Add(ObservationsMessage(1))), "header");
  EXPECT_EQ(FieldOf(SourceTaskUpload().Finish().status()), "header");
  SourceTaskUpload twice;
  ASSERT_TRUE(twice.Add(HeaderMessage()).ok());
  EXPECT_EQ(FieldOf(twice.Add(HeaderMessage())), "header");
}

TEST(SourceTaskUpload, NeedsObservations) {
  SourceTaskUpload upload;
  ASSERT_TRUE(upload.Add(HeaderMessage()).ok());
  EXPECT_EQ(FieldOf(upload.Finish().status()), "observations");
}

TEST(SourceTaskUpload, NamesABadObservationByItsIndexInTheWholeCall) {
  SourceTaskUpload upload;
  ASSERT_TRUE(upload.Add(HeaderMessage()).ok());
  ASSERT_TRUE(upload.Add(ObservationsMessage(3)).ok());
  v1::RegisterSourceTaskRequest bad;
  *bad.add_observations() = MeasuredObservation(ExampleConfiguration(5), 1);
  EXPECT_EQ(FieldOf(upload.Add(bad)), "observations[3].configuration.values[lr]");
}

TEST(SourceTaskUpload, TheGuardTellsContentsApartHoweverTheyWereSent) {
  const auto guard_of = [](const std::vector<int>& counts) {
    SourceTaskUpload upload;
    EXPECT_TRUE(upload.Add(HeaderMessage()).ok());
    v1::RegisterSourceTaskRequest all = ObservationsMessage(counts.back());
    int first = 0;
    for (const int last : counts) {
      v1::RegisterSourceTaskRequest part;
      while (first < last) *part.add_observations() = all.observations(first++);
      EXPECT_TRUE(upload.Add(part).ok());
    }
    const absl::StatusOr<NewSourceTask> task = upload.Finish();
    EXPECT_TRUE(task.ok()) << task.status();
    return upload.Guard(*task);
  };
  EXPECT_EQ(guard_of({4}).request_id, "the-id");
  EXPECT_EQ(guard_of({4}).fingerprint, guard_of({1, 4}).fingerprint);
  EXPECT_NE(guard_of({4}).fingerprint, guard_of({5}).fingerprint);
}

}  // namespace
}  // namespace slipstream
