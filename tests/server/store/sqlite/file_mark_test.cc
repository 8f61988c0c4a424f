#include "server/store/sqlite/file_mark.h"

#include <filesystem>

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
    int64_t mark = 0;
    for (size_t i = kMarkOffset; i < kMarkOffset + 4; ++i) {
      mark = mark << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return static_cast<FileMark>(mark);
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

TEST_F(FileMarkTest, AKillBeforeTheMarkIsInTheFileLosesNothing) {
  MakeFile();
  const std::string closed = ReadBytes(path());
  FilesByName opened = AddAndKill(0);
  opened[""] = closed;
  Put(opened);
  ExpectTrials(10);
}

TEST_F(FileMarkTest, AProcessThatReadsTheFileMeanwhileDoesNotMatter) {
  MakeFile();
  FilesByName killed;
  {
    const auto reader = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE(reader.ok()) << reader.status();
    ASSERT_TRUE((*reader)->Execute("BEGIN; SELECT count(*) FROM studies").ok());
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
