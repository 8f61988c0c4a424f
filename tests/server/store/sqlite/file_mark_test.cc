#include "server/store/sqlite/file_mark.h"

#include <sys/resource.h>

#include <filesystem>
#include <memory>

#include "server/store/sqlite/file_format.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::FileMark;

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
constexpr char kForeign[] = "does not belong to";
constexpr char kMissing[] = "was in use when it was copied";
constexpr size_t kMarkOffset = 48;

class FileMarkTest : public SqliteStoreTest {
 protected:
  using FilesByName = std::map<std::string, std::string>;

  std::string Copy() const { return folder() + "/copy.db"; }

  static FileMark MarkOfBytes(const std::string& bytes) {
    return static_cast<FileMark>(sqlite::BigEndian32(bytes, kMarkOffset));
  }
  FileMark Mark(const std::string& file) const { return MarkOfBytes(ReadBytes(file)); }

  // The store's files as a kill would leave them now.
  FilesByName AsKilled() const {
    FilesByName files;
    for (const char* suffix : {"", "-wal", "-shm"}) files[suffix] = ReadBytes(path() + suffix);
    return files;
  }
  void Put(const FilesByName& files) const {
    for (const auto& [suffix, bytes] : files) WriteBytes(path() + suffix, bytes);
  }
  void Remove(const std::string& suffix) const { std::filesystem::remove(path() + suffix); }

  // Adds so many trials, each in a commit of its own, and returns the files as a kill leaves them.
  FilesByName AddAndKill(int trials) {
    const auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < trials; ++i) {
      EXPECT_TRUE(AddTrials(**store, "s", {FinishedTrial("x", i)}).ok());
    }
    return AsKilled();
  }

  // Reads the file as it is now, as long as it lives.
  std::unique_ptr<sqlite::Connection> Reader() {
    auto reader = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    EXPECT_TRUE(reader.ok()) << reader.status();
    EXPECT_TRUE((*reader)->Execute("BEGIN; SELECT count(*) FROM studies").ok());
    return *std::move(reader);
  }

  void ExpectRefused(const std::string& text) {
    const auto before = Files();
    EXPECT_THAT(OpenStatus(), IsRefused(kRefused, text));
    EXPECT_THAT(CheckSqliteFile(path()), IsRefused(kRefused, text));
    EXPECT_THAT(BackUpSqliteFile(path(), folder() + "/other.db"), IsRefused(kRefused, text));
    EXPECT_EQ(Files(), before);
  }
  void ExpectTrials(int64_t count) {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->GetStudy("s")->trial_count, count);
  }
};

TEST_F(FileMarkTest, TellsWhetherAServerHasTheFile) {
  MakeFile();
  EXPECT_EQ(Mark(path()), FileMark::kClosed);
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Mark(path()), FileMark::kInUse);
    ASSERT_TRUE(BackUpSqliteFile(path(), Copy()).ok());
  }
  EXPECT_EQ(Mark(path()), FileMark::kClosed);
  EXPECT_EQ(Mark(Copy()), FileMark::kBackup);
}

TEST_F(FileMarkTest, ABackupIsNotMixedWithTheLogOfTheStoreInWhosePlaceItWasPut) {
  MakeFile();
  ASSERT_TRUE(BackUpSqliteFile(path(), Copy()).ok());
  AddAndKill(200);
  const FilesByName later = AddAndKill(1);
  Put(later);
  WriteBytes(path(), ReadBytes(Copy()));
  ExpectRefused(kForeign);
  Put(later);
  ExpectTrials(211);
  Put(later);
  WriteBytes(path(), ReadBytes(Copy()));
  Remove("-wal");
  Remove("-shm");
  ExpectTrials(10);
}

TEST_F(FileMarkTest, ACopyOfAClosedStoreIsNotMixedWithALaterLogEither) {
  MakeFile();
  const std::string closed = ReadBytes(path());
  const FilesByName later = AddAndKill(3);
  Put(later);
  WriteBytes(path(), closed);
  ExpectRefused(kForeign);
}

TEST_F(FileMarkTest, AStoreThatWasCopiedWithoutItsLogIsRefused) {
  MakeFile();
  Put(AddAndKill(3));
  Remove("-wal");
  Remove("-shm");
  ExpectRefused(kMissing);
  EXPECT_THAT(RestoreSqliteFile(path(), folder() + "/other.db"), IsRefused(kRefused, kMissing));
  WriteBytes(path() + "-wal", "");
  ExpectTrials(10);
  EXPECT_EQ(Mark(path()), FileMark::kClosed);
}

// The mark is in the log alone while another process keeps it from being moved.
TEST_F(FileMarkTest, AKillBeforeTheMarkIsInTheFileLosesNothing) {
  MakeFile();
  FilesByName opened;
  {
    const auto reader = Reader();
    opened = AddAndKill(0);
  }
  ASSERT_EQ(MarkOfBytes(opened[""]), FileMark::kClosed);
  ASSERT_GT(opened["-wal"].size(), 4096u);
  for (const size_t cut : {opened["-wal"].size(), size_t{4000}, size_t{57}, size_t{56}, size_t{33},
                           size_t{32}, size_t{31}, size_t{0}}) {
    SCOPED_TRACE(cut);
    FilesByName files = opened;
    files["-wal"].resize(cut);
    Put(files);
    WriteBytes(path() + "-shm", "");
    ExpectTrials(10);
  }
}

TEST_F(FileMarkTest, ChecksAndCopiesOfAStoreThatWasKilledLeaveItsEmptyLog) {
  MakeFile();
  const FilesByName killed = AddAndKill(0);
  ASSERT_EQ(killed.at("-wal"), "");
  Put(killed);
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  EXPECT_TRUE(BackUpSqliteFile(path(), Copy()).ok());
  ExpectTrials(10);
}

TEST_F(FileMarkTest, AMainFileAloneIsRestoredWithAnEmptyLog) {
  MakeFile();
  Put(AddAndKill(3));
  Remove("-shm");
  WriteBytes(path() + "-wal", "");
  const std::string restored = folder() + "/restored.db";
  const absl::Status status = RestoreSqliteFile(path(), restored);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(Mark(restored), FileMark::kBackup);
}

TEST_F(FileMarkTest, AnOpeningThatFailsLeavesAStoreThatCanBeOpened) {
  MakeFile();
  SqliteStoreOptions options = Options();
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  for (rlim_t limit = 8; limit < 64; limit += 4) {
    rlimit few = before;
    few.rlim_cur = limit;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const bool opened = OpenSqliteStore(options).ok();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    ExpectTrials(10);
    if (opened) return;
  }
  FAIL() << "never opened";
}

TEST_F(FileMarkTest, AProcessThatReadsLongerThanTheServerLivesLeavesAClosedStore) {
  MakeFile();
  {
    const auto reader = Reader();
    AddAndKill(3);
  }
  ExpectTrials(13);
  EXPECT_EQ(Mark(path()), FileMark::kClosed);
}

TEST_F(FileMarkTest, AProcessThatReadsTheFileMeanwhileDoesNotMatter) {
  MakeFile();
  FilesByName killed;
  {
    const auto reader = Reader();
    killed = AddAndKill(3);
    EXPECT_EQ(MarkOfBytes(killed[""]), FileMark::kClosed) << "the reader has kept the log";
  }
  Put(killed);
  ExpectTrials(13);
}

TEST_F(FileMarkTest, AFileOfAProgramWithoutMarksGetsOne) {
  MakeFile();
  RunSql("PRAGMA default_cache_size = 0");
  ASSERT_EQ(Mark(path()), FileMark::kNone);
  ExpectTrials(10);
  EXPECT_EQ(Mark(path()), FileMark::kClosed);
}

}  // namespace
}  // namespace slipstream
