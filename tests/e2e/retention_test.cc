// Studies that a server deletes by itself because its operator wants that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

grpc::Status Get(Stub& stub, const std::string& name) {
  v1::GetStudyRequest request;
  request.set_name(name);
  return Call(stub, &Stub::GetStudy, request);
}

std::string ContentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Retention, StudiesThatHaveBeenCompletedForLongGoAndThatIsWrittenDown) {
  TemporaryFolder data;
  TemporaryFolder logs;
  const std::string audit = logs.path() + "/audit.jsonl";
  // A tenth of a second.
  ServerProcess server(data.path(),
                       {"--delete-completed-after-days", "0.0000011574", "--audit-log", audit});
  Stub& stub = server.stub();
  for (const char* id : {"done", "running"}) {
    ASSERT_TRUE(Call(stub, &Stub::CreateStudy, CreateRequest(ExampleStudy(), id)).ok());
  }
  v1::UpdateStudyRequest complete;
  complete.mutable_study()->set_name("studies/done");
  complete.mutable_study()->set_state(v1::Study::COMPLETED);
  complete.mutable_update_mask()->add_paths("state");
  ASSERT_TRUE(Call(stub, &Stub::UpdateStudy, complete).ok());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (Get(stub, "studies/done").ok()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::yield();
  }
  EXPECT_EQ(Get(stub, "studies/done").error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_TRUE(Get(stub, "studies/running").ok());
  EXPECT_EQ(server.Terminate().exit_code, 0);
  EXPECT_THAT(ContentOf(audit), HasSubstr("\"caller\":\"--delete-completed-after-days\",\"method\":"
                                          "\"DeleteStudy\",\"resource\":\"studies/done\""));
  EXPECT_THAT(server.Output(), HasSubstr("deleted a study that was completed long ago"));
}

}  // namespace
}  // namespace slipstream
