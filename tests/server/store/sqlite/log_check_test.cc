#include "server/store/sqlite/log_check.h"

#include <filesystem>

#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;
constexpr size_t kHeader = 32;
constexpr size_t kFrame = 24 + 4096;

// The files of a store as kill -9 leaves them, with a log of several commits.
class LogCheckTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < 6; ++i) {
      if (i == 5) before_the_last_ = Log().size();
      ASSERT_TRUE(AddTrials(**store, "s", {FinishedTrial("x", i)}).ok());
    }
    for (const char* suffix : {"", "-wal", "-shm"}) {
      files_[path() + suffix] = ReadBytes(path() + suffix);
    }
    ASSERT_GT(before_the_last_, 10 * kFrame);
    ASSERT_GT(Log().size(), before_the_last_ + kFrame);
  }

  std::string Log() const { return ReadBytes(path() + "-wal"); }
  void PutBack() {
    for (const auto& [name, bytes] : files_) WriteBytes(name, bytes);
  }
  void FlipBit(size_t at) {
    std::string log = Log();
    log[at] = static_cast<char>(log[at] ^ 8);
    WriteBytes(path() + "-wal", log);
  }
  // The log after a power cut that kept everything of the last commit but its first frame.
  void LoseAFrameOfTheLastCommit() {
    std::string log = Log();
    log.replace(before_the_last_, kFrame, kFrame, '\0');
    WriteBytes(path() + "-wal", log);
  }
  absl::Status Check() { return sqlite::CheckLog(path(), ""); }
  void ExpectRefusal() {
    const auto before = Files();
    EXPECT_THAT(Check(), IsRefused(kDataLoss, "write-ahead log"));
    EXPECT_THAT(CheckSqliteFile(path()), IsRefused(kDataLoss, path()));
    EXPECT_THAT(OpenStatus(), IsRefused(kDataLoss, path()));
    EXPECT_EQ(Files(), before);
  }

  std::map<std::string, std::string> files_;
  size_t before_the_last_ = 0;
};

TEST_F(LogCheckTest, ASoundLogIsSound) {
  PutBack();
  EXPECT_TRUE(Check().ok()) << Check();
  std::filesystem::remove(path() + "-shm");
  EXPECT_TRUE(Check().ok()) << Check();
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->GetStudy("s")->trial_count, 16);
}

TEST_F(LogCheckTest, AFlippedBitAnywhereIsFound) {
  PutBack();
  const size_t size = Log().size();
  for (size_t at = 5; at < size; at += 1009) {
    PutBack();
    FlipBit(at);
    EXPECT_EQ(Check().code(), kDataLoss) << at;
  }
  PutBack();
  FlipBit(size - 1);
  ExpectRefusal();
}

TEST_F(LogCheckTest, WithoutAnIndexAllButTheLastFrameIsChecked) {
  PutBack();
  for (size_t at = 5; at < Log().size() - kFrame; at += 1009) {
    PutBack();
    std::filesystem::remove(path() + "-shm");
    FlipBit(at);
    EXPECT_EQ(Check().code(), kDataLoss) << at;
  }
}

TEST_F(LogCheckTest, ALogThatIsCutOffIsRefused) {
  for (const size_t size : {before_the_last_, before_the_last_ + 100, kHeader + kFrame, kHeader}) {
    PutBack();
    std::filesystem::resize_file(path() + "-wal", size);
    ExpectRefusal();
  }
}

TEST_F(LogCheckTest, AMissingLogIsRefused) {
  PutBack();
  std::filesystem::remove(path() + "-wal");
  ExpectRefusal();
}

// Its frames were not synced before the power cut, nor acknowledged.
TEST_F(LogCheckTest, WhatAPowerCutLeftOfTheLastCommitIsForgotten) {
  PutBack();
  LoseAFrameOfTheLastCommit();
  // The index as the disk had it, a while ago.
  WriteBytes(path() + "-shm", std::string(32768, '\0'));
  EXPECT_TRUE(Check().ok()) << Check();
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->GetStudy("s")->trial_count, 15);
}

TEST_F(LogCheckTest, AnEarlierCommitIsNotForgottenWhateverTheIndexIs) {
  PutBack();
  std::string log = Log();
  log.replace(kHeader + 2 * kFrame, kFrame, kFrame, '\0');
  WriteBytes(path() + "-wal", log);
  WriteBytes(path() + "-shm", std::string(32768, '\0'));
  ExpectRefusal();
}

}  // namespace
}  // namespace slipstream
