// A disk that fills up and a disk that fails, below a server with a real socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "server/grpc/server.h"
#include "server/service/service.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

template <typename T>
T Must(absl::StatusOr<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return *std::move(result);
}

// A complete server in this process, on a disk that fails on demand.
struct FaultyServer {
  FaultyServer(const std::string& folder, const FaultVfs& disk) {
    SqliteStoreOptions options;
    options.path = folder + "/slipstream.db";
    options.vfs = disk.name();
    store = Must(OpenSqliteStore(options));
    service.emplace(store.get(), ServiceOptions{.version = "test"});
    server = Must(Server::Start(ServerOptions{.listen = "127.0.0.1:0"}, &*service));
    stub = v1::OptimizationService::NewStub(
        grpc::CreateChannel(server->address(), grpc::InsecureChannelCredentials()));
  }

  std::unique_ptr<Store> store;
  std::optional<Service> service;
  std::unique_ptr<Server> server;
  std::unique_ptr<Stub> stub;
};

v1::Trial Get(Stub& stub, const std::string& name) {
  v1::GetTrialRequest request;
  request.set_name(name);
  v1::Trial trial;
  const grpc::Status status = Call(stub, &Stub::GetTrial, request, &trial);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return trial;
}

class FaultyDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    Start();
    ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
    ASSERT_TRUE(Call(stub(), &Stub::Suggest, AskRequest("studies/s", "w", 2)).ok());
    ASSERT_TRUE(Tell(1).ok());
  }
  void Start() {
    server_.reset();
    server_.emplace(data_.path(), disk_);
  }
  Stub& stub() { return *server_->stub; }
  grpc::Status Tell(int number) {
    return Call(stub(), &Stub::Observe,
                TellRequest("studies/s/trials/" + std::to_string(number), LossOutcome(number)));
  }

  TemporaryFolder data_;
  FaultVfs disk_;
  std::optional<FaultyServer> server_;
};

TEST_F(FaultyDisk, AFullDiskRefusesResultsAndAcceptsThemOnceThereIsRoomAgain) {
  disk_.FillUpAfter(0);
  const grpc::Status full = Tell(2);
  EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("full"));
  const grpc::Status lease = Call(stub(), &Stub::Suggest, AskRequest("studies/s", "other"));
  EXPECT_EQ(lease.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Get(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(Get(stub(), "studies/s/trials/2").state(), v1::Trial::ACTIVE);
  disk_.Repair();
  EXPECT_TRUE(Tell(2).ok());
  Start();
  EXPECT_EQ(Get(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(Get(stub(), "studies/s/trials/2").state(), v1::Trial::SUCCEEDED);
}

TEST_F(FaultyDisk, AfterAFailedSyncNothingIsAcknowledgedUntilReopened) {
  disk_.FailSyncs();
  EXPECT_EQ(Tell(2).error_code(), grpc::StatusCode::INTERNAL);
  disk_.Repair();
  const grpc::Status refused = Tell(2);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("opened again"));
  EXPECT_EQ(Get(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  Start();
  EXPECT_EQ(Get(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_TRUE(Tell(2).ok());
}

}  // namespace
}  // namespace slipstream
