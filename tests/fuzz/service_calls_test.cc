// How the fuzzers send uploads: whole, in many messages, and in ones that are illegal.
#include "tests/fuzz/service_calls.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "slipstream/v1/services.pb.h"
#include "tests/e2e/messages.h"

namespace slipstream::fuzz {
namespace {

constexpr int kObservations = 5;

v1::RegisterSourceTaskRequest Upload(int request_id_size) {
  v1::RegisterSourceTaskRequest request;
  v1::SourceTask* task = request.mutable_header()->mutable_source_task();
  *task->mutable_space() = ExampleStudy().space();
  *task->mutable_metrics() = ExampleStudy().metrics();
  request.mutable_header()->set_request_id(std::string(static_cast<size_t>(request_id_size), 'r'));
  for (int i = 0; i < kObservations; ++i) {
    *request.add_observations() = MeasuredObservation(ExampleConfiguration(1e-3 * (i + 1)), i);
  }
  return request;
}

TEST(ServiceCalls, UploadsAreLegalWholeAndInPartsAndIllegalWithAHeaderTooManyOrTooLate) {
  std::multiset<absl::StatusCode> codes;
  std::set<std::string> refusals;
  for (int size = 1; size <= 8; ++size) {
    ServiceCalls calls;
    std::string response;
    const absl::Status status =
        calls.Call(Rpc::kRegisterSourceTask, Upload(size).SerializeAsString(), &response);
    codes.insert(status.code());
    if (!status.ok()) {
      refusals.insert(std::string(status.message()));
      continue;
    }
    v1::RegisterSourceTaskResponse registered;
    ASSERT_TRUE(registered.ParseFromString(response));
    EXPECT_EQ(registered.source_task().observation_count(), kObservations);
  }
  EXPECT_EQ(codes.count(absl::StatusCode::kOk), 6u);
  EXPECT_EQ(codes.count(absl::StatusCode::kInvalidArgument), 2u);
  EXPECT_EQ(refusals.size(), 2u);
}

TEST(ServiceCalls, ImportsAreLegalWholeAndInParts) {
  int imported = 0;
  for (int size = 1; size <= 8; ++size) {
    v1::ImportStudyRequest request;
    request.mutable_header()->set_study_id("s");
    request.mutable_header()->set_request_id(std::string(static_cast<size_t>(size), 'r'));
    for (v1::ExportLine& line : LinesOf(ExampleStudy(), {})) {
      *request.add_lines() = std::move(line);
    }
    ServiceCalls calls;
    std::string response;
    imported +=
        calls.Call(Rpc::kImportStudy, request.SerializeAsString(), &response).ok() ? 1 : 0;
  }
  EXPECT_EQ(imported, 6);
}

}  // namespace
}  // namespace slipstream::fuzz
