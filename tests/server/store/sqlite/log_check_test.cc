#include "server/store/sqlite/log_check.h"

#include <filesystem>

#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

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
      if (i == 4) indices_before_the_last_[1] = ReadBytes(path() + "-shm");
      if (i == 5) indices_before_the_last_[0] = ReadBytes(path() + "-shm");
      if (i == 5) before_the_last_ = Log().size();
      ASSERT_TRUE(AddTrials(**store, "s", {FinishedTrial("x", i)}).ok());
    }
    Keep();
    ASSERT_GT(before_the_last_, 10 * kFrame);
    ASSERT_GT(Log().size(), before_the_last_ + kFrame);
  }

  std::string Log() const { return ReadBytes(path() + "-wal"); }
  // As they are now.
  void Keep() {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      files_[path() + suffix] = ReadBytes(path() + suffix);
    }
  }
  // Before the last frame was written whole.
  void KillDuringALongCommit() {
    const std::vector<NewTrial> many(60, FinishedTrial("y", 1));
    PutBack();
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(AddTrials(**store, "s", {FinishedTrial("x", 6)}).ok());
    const std::string index = ReadBytes(path() + "-shm");
    ASSERT_TRUE(AddTrials(**store, "s", many).ok());
    Keep();
    std::string& log = files_.at(path() + "-wal");
    log.replace(log.size() - 100, 100, 100, '\0');
    files_.at(path() + "-shm") = index;
  }
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
  absl::Status Check() { return sqlite::CheckLog(path(), "").status(); }
  // What is told of pieces at the end, if the log is not refused.
  std::string Pieces() { return sqlite::CheckLog(path(), "").value_or("refused"); }
  // Opens the store; what it warns of, and how many trials it has.
  void ExpectOpened(const std::string& warning, int64_t trials) {
    std::string told;
    SqliteStoreOptions options = Options();
    options.on_warning = [&](const std::string& text) { told += text; };
    const auto store = OpenSqliteStore(options);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_THAT(told, testing::HasSubstr(warning));
    EXPECT_EQ(told.empty(), warning.empty()) << told;
    EXPECT_EQ((*store)->GetStudy("s")->trial_count, trials);
  }
  void ExpectRefusal() {
    const auto before = Files();
    EXPECT_THAT(Check(), IsRefused(kDataLoss, "write-ahead log"));
    EXPECT_THAT(CheckSqliteFile(path()), IsRefused(kDataLoss, path()));
    EXPECT_THAT(OpenStatus(), IsRefused(kDataLoss, path()));
    EXPECT_EQ(Files(), before);
  }

  std::map<std::string, std::string> files_;
  std::string indices_before_the_last_[2];  // One commit before it, and two.
  size_t before_the_last_ = 0;
};

TEST_F(LogCheckTest, ASoundLogIsSound) {
  PutBack();
  EXPECT_TRUE(Check().ok()) << Check();
  EXPECT_EQ(Pieces(), "");
  WriteBytes(path() + "-shm", "");
  EXPECT_EQ(Pieces(), "");
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  PutBack();
  ExpectOpened("", 16);
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

// It may have been cut off where a commit ends.
TEST_F(LogCheckTest, WithoutItsIndexALogIsRefused) {
  for (const size_t size : {files_.at(path() + "-wal").size(), before_the_last_, size_t{40}}) {
    PutBack();
    std::filesystem::remove(path() + "-shm");
    std::filesystem::resize_file(path() + "-wal", size);
    const auto before = Files();
    EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition, "three files"));
    EXPECT_THAT(CheckSqliteFile(path()),
                IsRefused(absl::StatusCode::kFailedPrecondition, "three files"));
    EXPECT_EQ(Files(), before);
  }
}

TEST_F(LogCheckTest, DamageAnywhereIsFoundOrToldOfWhateverTheIndexIs) {
  PutBack();
  const size_t size = Log().size();
  for (const std::string& index : {std::string(), std::string(32768, '\0'), std::string(32768, 'x'),
                                   indices_before_the_last_[1]}) {
    for (size_t at = 5; at < size; at += 503) {
      PutBack();
      WriteBytes(path() + "-shm", index);
      FlipBit(at);
      EXPECT_NE(Pieces(), "") << at;
      EXPECT_TRUE(at < before_the_last_ || Pieces() != "refused") << at;
      EXPECT_EQ(CheckSqliteFile(path()).code(), kDataLoss) << at;
    }
  }
}

TEST_F(LogCheckTest, ALogThatIsCutOffWithinAFrameIsToldOfWhateverTheIndexIs) {
  for (const size_t size : {before_the_last_ - 1, before_the_last_ + 100, size_t{kHeader} + 1}) {
    PutBack();
    WriteBytes(path() + "-shm", "");
    std::filesystem::resize_file(path() + "-wal", size);
    EXPECT_NE(Pieces(), "") << size;
    EXPECT_EQ(CheckSqliteFile(path()).code(), kDataLoss) << size;
  }
}

// Killed before the last frame of a commit was written whole.
TEST_F(LogCheckTest, WhatAKillLeftOfTheLastCommitIsForgottenInSilence) {
  PutBack();
  std::filesystem::resize_file(path() + "-wal", Log().size() - 100);
  WriteBytes(path() + "-shm", indices_before_the_last_[0]);
  EXPECT_EQ(Pieces(), "");
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  PutBack();
  std::filesystem::resize_file(path() + "-wal", Log().size() - 100);
  WriteBytes(path() + "-shm", indices_before_the_last_[0]);
  ExpectOpened("", 15);
}

// Killed while the last frame of a long commit was written, and once more after a short commit or
// while it was synced.
TEST_F(LogCheckTest, WhatAnEarlierKillLeftIsNoDamageAfterAnotherOne) {
  KillDuringALongCommit();
  PutBack();
  EXPECT_EQ(Pieces(), "");
  std::string index;
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    index = ReadBytes(path() + "-shm");
    ASSERT_TRUE(AddTrials(**store, "s", {FinishedTrial("z", 1)}).ok());
    Keep();
  }
  for (const std::string& at_kill : {files_.at(path() + "-shm"), index}) {
    PutBack();
    WriteBytes(path() + "-shm", at_kill);
    EXPECT_EQ(Pieces(), "");
    EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  }
  ExpectOpened("", 18);
}

// Two commits that failed, as for want of room, left pieces behind a shorter one that did not.
TEST_F(LogCheckTest, WhatFailedCommitsLeftIsNoDamage) {
  KillDuringALongCommit();
  PutBack();
  const std::string log = Log();
  WriteBytes(path() + "-wal", log + log.substr(kHeader + 2 * kFrame, kFrame));
  {
    const auto connection = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE(connection.ok()) << connection.status();
    ASSERT_TRUE((*connection)->Execute("UPDATE study_heads SET update_ms = update_ms + 1").ok());
    Keep();
  }
  PutBack();
  ASSERT_GE(Log().size(), log.size() + kFrame);
  EXPECT_EQ(Pieces(), "");
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  // Of what is counted nothing may be missing.
  FlipBit(kHeader + kFrame - 1);
  EXPECT_THAT(Check(), IsRefused(kDataLoss, "intact frames of"));
  PutBack();
  ExpectOpened("", 17);
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
TEST_F(LogCheckTest, WhatAPowerCutLeftOfTheLastCommitIsForgottenAndToldOf) {
  PutBack();
  LoseAFrameOfTheLastCommit();
  // The index as the disk had it, a while ago.
  WriteBytes(path() + "-shm", std::string(32768, '\0'));
  EXPECT_TRUE(Check().ok()) << Check();
  EXPECT_THAT(CheckSqliteFile(path()), IsRefused(kDataLoss, "ends in pieces"));
  EXPECT_THAT(BackUpSqliteFile(path(), path() + ".copy"), IsRefused(kDataLoss, "ends in pieces"));
  ExpectOpened("ends in pieces", 15);
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
