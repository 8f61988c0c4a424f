// A disk that fills up, one that turns read-only and one that fails, below a server with a real
// socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/grpc/server.h"
#include "server/service/service.h"
#include "server/store/sqlite/sqlite_store.h"
#include "server/telemetry/log.h"
#include "server/telemetry/upkeep.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/server/store/store_calls.h"
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
    options.now_ms = [this] { return absl::ToUnixMillis(absl::Now()) + later_ms; };
    options.path = folder + "/slipstream.db";
    options.create = true;
    options.vfs = disk.name();
    store = Must(OpenSqliteStore(options));
    service.emplace(store.get(), ServiceOptions{.version = "test"});
    server = Must(Server::Start(ServerOptions{.listen = "127.0.0.1:0"}, &*service));
    channel = grpc::CreateChannel(server->address(), grpc::InsecureChannelCredentials());
    stub = v1::OptimizationService::NewStub(channel);
  }

  std::atomic<int64_t> later_ms{0};  // How much later it is than by the machine's clock.
  std::unique_ptr<Store> store;
  std::optional<Service> service;
  std::unique_ptr<Server> server;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<Stub> stub;
};

v1::Trial GetTrial(Stub& stub, const std::string& name) {
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

  // Rounds of upkeep until the server says that it is healthy, or is not.
  bool BecomesHealthy(Upkeep* upkeep, bool healthy) {
    for (int round = 0; round < 1000; ++round) {
      upkeep->Run();
      if (told_.has_value() && *told_ == healthy) return true;
      server_->later_ms += 1000;
      SweepLeases(*server_->store);  // Once it is answered, so is the write of that round.
    }
    return false;
  }
  Upkeep MakeUpkeep(Log* log) {
    const auto set_healthy = [this](bool healthy) {
      told_ = healthy;
      server_->server->SetHealthy(healthy);
    };
    return Upkeep(server_->store.get(), log, set_healthy, [](const LeaseSweep&) {});
  }
  bool IsServing() { return slipstream::IsServing(server_->channel); }

  TemporaryFolder data_;
  std::optional<bool> told_;
  FaultVfs disk_;
  std::optional<FaultyServer> server_;
};

TEST_F(FaultyDisk, AFullDiskRefusesResultsAndAcceptsThemOnceThereIsRoomAgain) {
  disk_.FillUpAfter(0);
  const grpc::Status full = Tell(2);
  EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("full"));
  EXPECT_THAT(full.error_details(), HasSubstr("Overload")) << "so that clients try again";
  const grpc::Status lease = Call(stub(), &Stub::Suggest, AskRequest("studies/s", "other"));
  EXPECT_EQ(lease.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/2").state(), v1::Trial::ACTIVE);
  disk_.Repair();
  EXPECT_TRUE(Tell(2).ok());
  Start();
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/2").state(), v1::Trial::SUCCEEDED);
}

TEST_F(FaultyDisk, HealthIsNotServingWhileTheDiskIsFullAndServingOnceThereIsRoom) {
  std::vector<std::string> lines;
  LogOptions options;
  options.sink = [&](absl::string_view line) { lines.emplace_back(line); };
  Log log(std::move(options));
  Upkeep upkeep = MakeUpkeep(&log);
  upkeep.Run();
  EXPECT_FALSE(told_.has_value());
  EXPECT_TRUE(IsServing());
  disk_.FillUpAfter(0);
  ASSERT_FALSE(Tell(2).ok());
  ASSERT_TRUE(BecomesHealthy(&upkeep, false));
  EXPECT_FALSE(IsServing());
  for (int round = 0; round < 20; ++round) {
    server_->later_ms += 1000;
    upkeep.Run();
    EXPECT_FALSE(IsServing()) << "it is still full";
  }
  v1::ServerStatus status;
  ASSERT_TRUE(Call(stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest(), &status).ok());
  EXPECT_FALSE(status.store().takes_writes());
  EXPECT_THAT(status.store().message(), HasSubstr("full"));
  disk_.Repair();
  ASSERT_TRUE(BecomesHealthy(&upkeep, true)) << "without anybody's call";
  EXPECT_TRUE(IsServing());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("error no change can be made message="));
  EXPECT_THAT(lines[1], HasSubstr("info changes can be made again"));
}

TEST_F(FaultyDisk, AfterAFailedDiskHealthIsNotServingForGood) {
  Log log({});
  Upkeep upkeep = MakeUpkeep(&log);
  disk_.FailSyncs();
  EXPECT_EQ(Tell(2).error_code(), grpc::StatusCode::UNAVAILABLE) << "so that clients try again";
  disk_.Repair();
  ASSERT_TRUE(BecomesHealthy(&upkeep, false));
  upkeep.Run();
  EXPECT_FALSE(IsServing());
  v1::ServerStatus status;
  ASSERT_TRUE(Call(stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest(), &status).ok());
  EXPECT_THAT(status.store().message(), HasSubstr("opened again"));
  EXPECT_EQ(status.contents().studies(), 1) << "reads go on";
}

TEST_F(FaultyDisk, ADiskThatTurnsReadOnlyRefusesResultsSaysWhyAndKeepsTheOthers) {
  Log log({});
  Upkeep upkeep = MakeUpkeep(&log);
  disk_.FailWrites();
  ASSERT_FALSE(Tell(2).ok());
  const grpc::Status refused = Tell(2);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("Read-only file system"));
  ASSERT_TRUE(BecomesHealthy(&upkeep, false));
  EXPECT_FALSE(IsServing());
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED) << "reads go on";
  disk_.Repair();
  Start();
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/2").state(), v1::Trial::ACTIVE);
  EXPECT_TRUE(Tell(2).ok());
}

TEST_F(FaultyDisk, AfterAFailedSyncNothingIsAcknowledgedUntilReopened) {
  disk_.FailSyncs();
  EXPECT_EQ(Tell(2).error_code(), grpc::StatusCode::UNAVAILABLE) << "so that clients try again";
  disk_.Repair();
  const grpc::Status refused = Tell(2);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("opened again"));
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  Start();
  EXPECT_EQ(GetTrial(stub(), "studies/s/trials/1").state(), v1::Trial::SUCCEEDED);
  EXPECT_TRUE(Tell(2).ok());
}

}  // namespace
}  // namespace slipstream
