// A store whose files go away under it must stop acknowledging.
#include "server/store/sqlite/file_watch.h"

#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

class NewStoreTest : public SqliteStoreTest {};

class LostFileTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    SqliteStoreOptions options = Options();
    options.on_halt = [this](const absl::Status& cause) { causes_.push_back(cause); };
    auto store = OpenSqliteStore(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    ASSERT_TRUE(Add().ok());
  }

  absl::Status Add() { return AddTrials(*store_, "s", {FinishedTrial("x", 1)}).status; }

  // Expects that the next write is refused with `text`, and all later ones too.
  void ExpectHalt(const std::string& text) {
    EXPECT_THAT(Add(), IsRefused(absl::StatusCode::kDataLoss, text));
    EXPECT_THAT(Add(), IsRefused(absl::StatusCode::kUnavailable, text));
    ASSERT_EQ(causes_.size(), 1u) << "it is told once";
    EXPECT_THAT(causes_[0], IsRefused(absl::StatusCode::kDataLoss, path()));
  }

  void Rename(const std::string& from, const std::string& to) { std::filesystem::rename(from, to); }

  std::unique_ptr<Store> store_;
  std::vector<absl::Status> causes_;
};

TEST_F(LostFileTest, ARemovedFileHaltsTheStore) {
  std::filesystem::remove(path());
  ExpectHalt("has been removed");
}

TEST_F(LostFileTest, AFileThatIsGoneIsNoticedThoughNobodyWrites) {
  EXPECT_EQ(store_->Figures().database.refusal, "");
  std::filesystem::remove(path() + "-wal");
  const DatabaseFigures figures = store_->Figures().database;
  EXPECT_TRUE(figures.halted);
  EXPECT_THAT(figures.refusal, ::testing::HasSubstr("has been removed"));
  EXPECT_EQ(store_->Figures().database.refusal, figures.refusal);
  ASSERT_EQ(causes_.size(), 1u) << "it is told once";
  EXPECT_THAT(Add(), IsRefused(absl::StatusCode::kUnavailable, "has been removed"));
}

TEST_F(LostFileTest, AMovedFileHaltsTheStore) {
  Rename(path(), path() + ".elsewhere");
  ExpectHalt("has been removed");
}

TEST_F(LostFileTest, AReplacedFileHaltsTheStore) {
  std::filesystem::copy_file(path(), path() + ".copy");
  Rename(path() + ".copy", path());
  ExpectHalt("has been replaced");
}

TEST_F(LostFileTest, AMovedFolderHaltsTheStore) {
  Rename(folder(), folder() + "-moved");
  ExpectHalt("has been removed");
  store_.reset();
  Rename(folder() + "-moved", folder());
}

TEST_F(LostFileTest, AReplacedFolderHaltsTheStore) {
  Rename(folder(), folder() + "-moved");
  std::filesystem::copy(folder() + "-moved", folder());
  ExpectHalt("has been replaced");
  store_.reset();
  std::filesystem::remove_all(folder() + "-moved");
}

TEST_F(LostFileTest, ARemovedLogHaltsTheStore) {
  std::filesystem::remove(path() + "-wal");
  ExpectHalt("-wal has been removed");
}

TEST_F(LostFileTest, ATruncatedLogHaltsTheStore) {
  std::filesystem::resize_file(path() + "-wal", 0);
  ExpectHalt("-wal has been truncated");
}

TEST_F(LostFileTest, ATruncatedFileHaltsTheStore) {
  std::filesystem::resize_file(path(), 4096);
  ExpectHalt("has been truncated");
}

// Programs that copy the file or put a backup in its place ask the lock file who uses it.
TEST_F(LostFileTest, ARemovedLockHaltsTheStore) {
  std::filesystem::remove(path() + ".lock");
  ExpectHalt(".lock has been removed");
}

TEST_F(LostFileTest, ASecondServerIsRefusedThoughTheLockHasBeenRemovedOrReplaced) {
  std::filesystem::remove(path() + ".lock");
  EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition, "is in use"));
  EXPECT_FALSE(std::filesystem::exists(path() + ".lock"));
  WriteBytes(path() + ".lock", "");
  EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition, "is in use"));
  store_.reset();
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
}

TEST_F(NewStoreTest, ANewStoreIsLockedToo) {
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  std::filesystem::remove(path() + ".lock");
  EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition, "is in use"));
}

TEST_F(LostFileTest, AFileThatComesBackIsStillRefusedUntilItIsOpenedAgain) {
  Rename(path(), path() + ".elsewhere");
  EXPECT_FALSE(Add().ok());
  Rename(path() + ".elsewhere", path());
  EXPECT_THAT(Add(), IsRefused(absl::StatusCode::kUnavailable, "opened again"));
  store_.reset();
  const auto again = Open();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->GetStudy("s")->trial_count, 11);
}

TEST_F(NewStoreTest, AStoreIsMadeOnlyWhenAskedFor) {
  SqliteStoreOptions options = Options();
  options.create = false;
  EXPECT_THAT(OpenSqliteStore(options).status(),
              IsRefused(absl::StatusCode::kNotFound, "there is no store at " + path()));
  EXPECT_TRUE(Files().empty());
  MakeFile();
  EXPECT_TRUE(OpenSqliteStore(options).ok());
  std::filesystem::remove(path());
  EXPECT_EQ(OpenSqliteStore(options).status().code(), absl::StatusCode::kNotFound);
  WriteBytes(path(), "");
  EXPECT_EQ(OpenSqliteStore(options).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(NewStoreTest, OnlyItsOwnerReadsANewStore) {
  const auto mode = [](const std::string& file) {
    struct stat found = {};
    EXPECT_EQ(stat(file.c_str(), &found), 0) << file;
    return found.st_mode & 0777;
  };
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
  EXPECT_EQ(mode(path()), 0600u);
  EXPECT_EQ(mode(path() + "-wal"), 0600u);
  ASSERT_TRUE(BackUpSqliteFile(path(), path() + ".copy").ok());
  EXPECT_EQ(mode(path() + ".copy"), 0600u);
}

}  // namespace
}  // namespace slipstream
