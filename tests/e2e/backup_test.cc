// Backups by call while the server is in use, and what restoring them gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

grpc::Status BackUp(Stub& stub, const std::string& name, v1::BackupStoreResponse* response) {
  v1::BackupStoreRequest request;
  request.set_name(name);
  return Call(stub, &Stub::BackupStore, request, response);
}

// What has been acknowledged: the result of each trial, by name.
class Acknowledged {
 public:
  void Add(const std::string& trial, double loss) {
    const std::lock_guard<std::mutex> lock(mutex_);
    losses_[trial] = loss;
  }
  std::map<std::string, double> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return losses_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> losses_;
};

// Adds results to a study of its own until it is told to stop.
void AddResults(Stub& stub, const std::string& study, const std::atomic<bool>& stop,
                Acknowledged* acknowledged) {
  EXPECT_TRUE(Call(stub, &Stub::CreateStudy, CreateRequest(ExampleStudy(), study)).ok());
  for (int i = 0; !stop; ++i) {
    v1::AddTrialsRequest request;
    request.set_study("studies/" + study);
    for (int k = 0; k < 5; ++k) {
      *request.add_observations() = MeasuredObservation(ExampleConfiguration(), i + 0.1 * k);
    }
    v1::AddTrialsResponse response;
    const grpc::Status added = Call(stub, &Stub::AddTrials, request, &response);
    EXPECT_TRUE(added.ok()) << added.error_message();
    if (!added.ok()) return;
    for (int k = 0; k < 5; ++k) acknowledged->Add(response.trials(k).name(), i + 0.1 * k);
  }
}

std::map<std::string, double> LossesIn(Stub& stub, const std::string& study) {
  std::map<std::string, double> losses;
  v1::ListTrialsRequest request;
  request.set_study("studies/" + study);
  request.set_page_size(1000);
  do {
    v1::ListTrialsResponse page;
    const grpc::Status listed = Call(stub, &Stub::ListTrials, request, &page);
    EXPECT_TRUE(listed.ok()) << listed.error_message();
    for (const v1::Trial& trial : page.trials()) {
      losses[trial.name()] = trial.measurement().metrics().at("loss");
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return losses;
}

TEST(Backup, HasAllThatWasAcknowledgedBeforeWhileWritesGoOn) {
  constexpr int kWriters = 4;
  constexpr int kBackups = 5;
  TemporaryFolder data;
  TemporaryFolder backups;
  ServerProcess server(data.path(), {"--backup-folder", backups.path()});
  std::atomic<bool> stop{false};
  Acknowledged acknowledged;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back(
        [&, i] { AddResults(server.stub(), "s" + std::to_string(i), stop, &acknowledged); });
  }
  struct Backup {
    std::string path;
    std::map<std::string, double> before;
  };
  std::vector<Backup> made;
  for (size_t i = 0; i < kBackups; ++i) {
    while (acknowledged.All().size() < 500 * (i + 1)) std::this_thread::yield();
    Backup backup{"", acknowledged.All()};
    v1::BackupStoreResponse response;
    const grpc::Status status = BackUp(server.stub(), "b" + std::to_string(i) + ".db", &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_GT(response.file_bytes(), 0);
    backup.path = response.path();
    made.push_back(std::move(backup));
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  // The writers were not stopped meanwhile.
  EXPECT_GT(acknowledged.All().size(), made.back().before.size());

  for (const Backup& backup : made) {
    TemporaryFolder folder;
    const EndedProcess restored =
        ServerProcess::Run({"--data", folder.path(), "--restore-from", backup.path});
    ASSERT_EQ(restored.exit_code, 0) << restored.output;
    ServerProcess again(folder.path());
    std::map<std::string, double> found;
    for (int i = 0; i < kWriters; ++i) {
      for (const auto& each : LossesIn(again.stub(), "s" + std::to_string(i))) found.insert(each);
    }
    for (const auto& [trial, loss] : backup.before) {
      ASSERT_TRUE(found.contains(trial)) << trial << " was acknowledged before the backup";
      EXPECT_EQ(found.at(trial), loss) << trial;
    }
  }
}

// The first response of a watch of all studies, or how it ends.
grpc::Status WatchOnce(Stub& stub, const std::string& token, v1::WatchResponse* response) {
  grpc::ClientContext context;
  v1::WatchStudiesRequest request;
  request.set_resume_token(token);
  const auto reader = stub.WatchStudies(&context, request);
  if (!reader->Read(response)) return reader->Finish();
  context.TryCancel();
  reader->Finish();
  return grpc::Status::OK;
}

TEST(Backup, OneThatIsNotThereLeavesNoFolderForIt) {
  TemporaryFolder scratch;
  const std::string data = scratch.path() + "/made/for/nothing";
  const EndedProcess restored =
      ServerProcess::Run({"--data", data, "--restore-from", scratch.path() + "/missing.db"});
  EXPECT_EQ(restored.exit_code, 1);
  EXPECT_THAT(restored.output, HasSubstr("missing.db"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path() + "/made"));
  // Nor one that turns out to be none while it is copied.
  {
    TemporaryFolder other;
    ServerProcess server(other.path());
    EXPECT_EQ(server.Terminate().exit_code, 0);
    const std::string backup = other.path() + "/slipstream.db";
    std::fstream file(backup, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(backup) / 2));
    file.write("damage", 6);
    file.close();
    EXPECT_EQ(ServerProcess::Run({"--data", data, "--restore-from", backup}).exit_code, 1);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.path() + "/made"));
}

TEST(Backup, AWatcherOfWhatHappenedAfterItIsToldSoOnceItIsRestored) {
  TemporaryFolder data;
  TemporaryFolder backups;
  v1::WatchResponse earlier;
  v1::WatchResponse later;
  v1::BackupStoreResponse backup;
  {
    ServerProcess server(data.path(), {"--backup-folder", backups.path()});
    ASSERT_TRUE(
        Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "early")).ok());
    ASSERT_TRUE(WatchOnce(server.stub(), "", &earlier).ok());
    ASSERT_TRUE(BackUp(server.stub(), "a.db", &backup).ok());
    ASSERT_TRUE(
        Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "late")).ok());
    ASSERT_TRUE(WatchOnce(server.stub(), "", &later).ok());
    v1::WatchResponse again;
    EXPECT_TRUE(WatchOnce(server.stub(), later.resume_token(), &again).ok());
  }
  TemporaryFolder scratch;
  const std::string restored = scratch.path() + "/made/by/the/restore";
  const std::string newest = scratch.path() + "/newest.db";
  std::filesystem::create_symlink(backup.path(), newest);
  ASSERT_EQ(ServerProcess::Run({"--data", restored, "--restore-from", newest}).exit_code, 0);
  ServerProcess server(restored);
  v1::WatchResponse response;
  // Also once the restored store has as many events as the token tells of.
  for (const char* const study : {"first", "second"}) {
    const grpc::Status status = WatchOnce(server.stub(), later.resume_token(), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr("backup"));
    EXPECT_THAT(status.error_message(),
                HasSubstr("list the studies and trials, then watch without a token"));
    ASSERT_TRUE(
        Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), study)).ok());
  }
  EXPECT_TRUE(WatchOnce(server.stub(), "", &response).ok());
  // What was before the backup has stayed.
  EXPECT_TRUE(WatchOnce(server.stub(), earlier.resume_token(), &response).ok());
  ASSERT_GT(response.events_size(), 0);
  EXPECT_EQ(response.events(0).study(), "studies/first");
}

TEST(Backup, NeedsAFolderAndAFreeName) {
  TemporaryFolder data;
  v1::BackupStoreResponse response;
  {
    ServerProcess server(data.path());
    const grpc::Status refused = BackUp(server.stub(), "", &response);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(refused.error_message(), HasSubstr("--backup-folder"));
  }
  TemporaryFolder backups;
  ServerProcess server(data.path(), {"--backup-folder", backups.path()});
  ASSERT_TRUE(BackUp(server.stub(), "a.db", &response).ok());
  EXPECT_EQ(BackUp(server.stub(), "a.db", &response).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(ViolationIn(BackUp(server.stub(), "../a.db", &response)).field(), "name");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(backups.path()), {}), 1)
      << "a refused backup leaves no file";
  EXPECT_THAT(server.Output(), HasSubstr("backed up"));
}

// The names in a folder that are of backups in progress.
std::vector<std::string> UnfinishedIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".unfinished-") != std::string::npos) names.push_back(name);
  }
  return names;
}

TEST(Backup, WhatAKilledOneLeftIsRemovedByTheNext) {
  TemporaryFolder data;
  TemporaryFolder backups;
  const std::vector<std::string> flags = {"--backup-folder", backups.path()};
  auto server = std::make_unique<ServerProcess>(data.path(), flags);
  ASSERT_TRUE(Call(server->stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  for (int i = 0; i < 1000; ++i) {
    *request.add_observations() = MeasuredObservation(ExampleConfiguration(), i);
  }
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(Call(server->stub(), &Stub::AddTrials, request).ok());
  }
  // A backup may be finished before it is seen.
  for (int round = 0; round < 20 && UnfinishedIn(backups.path()).empty(); ++round) {
    std::atomic<bool> ended{false};
    std::thread backup([&] {
      v1::BackupStoreResponse response;
      BackUp(server->stub(), "killed" + std::to_string(round) + ".db", &response);
      ended = true;
    });
    while (!ended && UnfinishedIn(backups.path()).empty()) std::this_thread::yield();
    server->Kill();
    backup.join();
    server = std::make_unique<ServerProcess>(data.path(), flags);
  }
  ASSERT_FALSE(UnfinishedIn(backups.path()).empty()) << "no backup was killed half way";
  v1::BackupStoreResponse response;
  const grpc::Status made = BackUp(server->stub(), "whole.db", &response);
  ASSERT_TRUE(made.ok()) << made.error_message();
  EXPECT_TRUE(UnfinishedIn(backups.path()).empty())
      << testing::PrintToString(UnfinishedIn(backups.path()));
}

TEST(Backup, AFolderThatIsNotThereIsNoticedAtTheStart) {
  TemporaryFolder data;
  const EndedProcess ended = ServerProcess::Run(
      {"--create", "--data", data.path(), "--listen", "127.0.0.1:0", "--backup-folder", "/none"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_THAT(ended.output, HasSubstr("--backup-folder /none"));
}

}  // namespace
}  // namespace slipstream
