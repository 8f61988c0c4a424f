#include "server/service/backup_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "tests/e2e/temporary_folder.h"

namespace slipstream {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class Backups : public ::testing::Test {
 protected:
  std::unique_ptr<BackupService> Make() {
    return std::make_unique<BackupService>(
        BackupOptions{
            .folder = folder_.path(),
            .copy =
                [this](const std::string& file, const std::stop_token& stop) {
                  if (stop.stop_requested()) return absl::CancelledError("stopped");
                  if (gate_.valid()) gate_.wait();
                  std::ofstream(file) << "copy";
                  return result_;
                },
            .on_backup =
                [this](const std::string& file, const absl::Status& status, absl::Duration) {
                  told_.push_back(file + " " + std::string(status.message()));
                }},
        stop_.get_token());
  }
  static absl::Status BackUp(BackupService& service, const std::string& name,
                             v1::BackupStoreResponse* response) {
    v1::BackupStoreRequest request;
    request.set_name(name);
    std::promise<absl::Status> answered;
    service.BackupStore(&request, response,
                        [&](absl::Status status) { answered.set_value(std::move(status)); });
    return answered.get_future().get();
  }

  TemporaryFolder folder_;
  absl::Status result_;
  std::stop_source stop_;
  std::shared_future<void> gate_;  // Copies wait until it opens, if it is valid.
  std::vector<std::string> told_;
};

TEST_F(Backups, AFileOfThatNameIsMadeInTheFolder) {
  v1::BackupStoreResponse response;
  const absl::Status status = BackUp(*Make(), "before-upgrade.db", &response);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(response.path(), folder_.path() + "/before-upgrade.db");
  EXPECT_EQ(response.file_bytes(), 4);
  EXPECT_GT(response.create_time().seconds(), 1700000000);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], HasSubstr("before-upgrade.db"));
}

TEST_F(Backups, OneThatCannotBeLookedAtIsTakenAway) {
  BackupService service(
      {.folder = folder_.path(),
       .copy =
           [](const std::string& file, const std::stop_token&) {
             std::filesystem::create_directory(file);  // Has no size.
             return absl::OkStatus();
           }},
      stop_.get_token());
  v1::BackupStoreResponse response;
  const absl::Status status = BackUp(service, "nightly.db", &response);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("nightly.db"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/nightly.db"));
}

TEST_F(Backups, WithoutANameTheTimeIsOne) {
  v1::BackupStoreResponse response;
  ASSERT_TRUE(BackUp(*Make(), "", &response).ok());
  // To the millisecond, as several may be made in a second.
  EXPECT_THAT(response.path(),
              MatchesRegex(".*/slipstream-2[0-9]{7}T[0-9]{6}[.][0-9]{3}Z[.]db"));
}

TEST_F(Backups, NamesThatLeadElsewhereAreRefused) {
  const auto service = Make();
  for (const std::string name :
       {"../x.db", "/etc/x.db", "a/b.db", ".hidden.db", "x", "x.txt", "é.db", "a b.db"}) {
    v1::BackupStoreResponse response;
    const absl::Status status = BackUp(*service, name, &response);
    ASSERT_TRUE(ViolationOf(status).has_value()) << name << ": " << status;
    EXPECT_EQ(ViolationOf(status)->field, "name");
  }
  EXPECT_TRUE(told_.empty());
}

TEST_F(Backups, AFailureIsAnsweredToldAndCounted) {
  result_ = absl::ResourceExhaustedError("the disk is full");
  const auto service = Make();
  v1::BackupStoreResponse response;
  EXPECT_EQ(BackUp(*service, "a.db", &response).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(service->failures(), 1);
  EXPECT_EQ(response.path(), "");
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], HasSubstr("the disk is full"));
}

TEST_F(Backups, ATakenNameIsAnsweredAndToldButIsNoFailureOfTheServer) {
  result_ = absl::AlreadyExistsError("a.db exists already");
  const auto service = Make();
  v1::BackupStoreResponse response;
  EXPECT_EQ(BackUp(*service, "a.db", &response).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(service->failures(), 0);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], HasSubstr("exists already"));
}

TEST_F(Backups, AServerThatEndsGivesThemUp) {
  stop_.request_stop();
  v1::BackupStoreResponse response;
  EXPECT_EQ(BackUp(*Make(), "a.db", &response).code(), absl::StatusCode::kCancelled);
}

TEST_F(Backups, WithoutAFolderThereAreNone) {
  BackupService service(BackupOptions{}, {});
  v1::BackupStoreResponse response;
  const absl::Status status = BackUp(service, "", &response);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--backup-folder"));
}

TEST_F(Backups, OneRunsAndOneWaitsAndMoreAreRefused) {
  std::promise<void> gate;
  gate_ = gate.get_future().share();
  v1::BackupStoreRequest request;
  // These outlive the service, which answers until it is gone.
  std::vector<v1::BackupStoreResponse> responses(20);
  std::vector<std::promise<absl::Status>> answers(20);
  const auto service = Make();
  std::vector<std::future<absl::Status>> answered;
  for (size_t i = 0; i < answers.size(); ++i) {
    answered.push_back(answers[i].get_future());
    service->BackupStore(&request, &responses[i], [&answers, i](absl::Status status) {
      answers[i].set_value(std::move(status));
    });
  }
  int refused = 0;
  for (auto& answer : answered) {
    if (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
    EXPECT_EQ(answer.get().code(), absl::StatusCode::kResourceExhausted);
    ++refused;
  }
  // Perhaps the first one had not begun when the others came.
  EXPECT_GE(refused, 18);
  EXPECT_LE(refused, 19);
  gate.set_value();
}

}  // namespace
}  // namespace slipstream
