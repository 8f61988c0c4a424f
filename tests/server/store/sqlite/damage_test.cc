#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite/file_check.h"
#include "server/store/sqlite/file_mark.h"
#include "server/store/sqlite/schema.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

constexpr size_t kPage = 4096;

class DamagedStoreTest : public SqliteStoreTest {
 protected:
  // Expects that opening is refused and changes nothing.
  void ExpectRefusal(absl::StatusCode code, const std::string& text) {
    const auto before = Files();
    EXPECT_THAT(OpenStatus(), IsRefused(code, text));
    EXPECT_THAT(OpenStatus(), IsRefused(code, path()));
    EXPECT_EQ(Files(), before);
  }

  void Overwrite(size_t offset, const std::string& bytes) {
    std::string file = ReadBytes(path());
    ASSERT_LE(offset + bytes.size(), file.size());
    file.replace(offset, bytes.size(), bytes);
    WriteBytes(path(), file);
  }

  // The same while a server has the file open, which must not see it cut off.
  void OverwriteInPlace(size_t offset, const std::string& bytes) {
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file << bytes;
  }

  // Leaves the file as kill -9 would, with a log that has not been checkpointed.
  void MakeFileWithLog() {
    MakeFile(300);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    const auto mark = static_cast<int64_t>(sqlite::FileMark::kInUse);
    const std::string in_use = absl::StrCat("PRAGMA default_cache_size = ", mark);
    sqlite3_exec(database, in_use.c_str(), nullptr, nullptr, nullptr);
    sqlite3_exec(database, "INSERT INTO provenances VALUES(1, zeroblob(100000))", nullptr, nullptr,
                 nullptr);
    sqlite3_close(database);
  }
};

TEST_F(DamagedStoreTest, ADamagedBeginningIsRefused) {
  MakeFile();
  Overwrite(3, "!");
  ExpectRefusal(kDataLoss, "does not begin");
}

TEST_F(DamagedStoreTest, AFileThatIsNoDatabaseIsRefused) {
  WriteBytes(path(), "Dear diary,");
  ExpectRefusal(kDataLoss, "does not begin");
}

TEST_F(DamagedStoreTest, AnImpossiblePageSizeIsRefused) {
  MakeFile();
  Overwrite(16, std::string("\x0f\x00", 2));
  ExpectRefusal(kDataLoss, "page size");
}

TEST_F(DamagedStoreTest, AFileThatIsCutOffIsRefused) {
  MakeFile(300);
  const std::string whole = ReadBytes(path());
  ASSERT_GT(whole.size(), 10 * kPage);
  for (const size_t size :
       {whole.size() - 1, whole.size() - kPage, 5 * kPage + 7, kPage, size_t{100}, size_t{50}}) {
    WriteBytes(path(), whole.substr(0, size));
    ExpectRefusal(kDataLoss, "damaged");
  }
  WriteBytes(path(), whole);
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
}

TEST_F(DamagedStoreTest, AGarbagePageIsRefused) {
  MakeFile(300);
  const std::string whole = ReadBytes(path());
  // The first page has the schema, the second the first table.
  for (const size_t page : {size_t{1}, size_t{2}, whole.size() / kPage / 2}) {
    WriteBytes(path(), whole);
    Overwrite(page * kPage, std::string(kPage, '\xa5'));
    ExpectRefusal(kDataLoss, "");
  }
}

// A store must open soon, however large its file.
TEST_F(DamagedStoreTest, TheCheckOfTheContentEndsInTime) {
  MakeFile(3000);
  Overwrite(ReadBytes(path()).size() / kPage / 2 * kPage, std::string(kPage, '\xa5'));
  const auto newest = static_cast<int64_t>(sqlite::SchemaSteps().size());
  EXPECT_TRUE(sqlite::InspectContent(path(), "", newest, absl::ZeroDuration()).ok());
  EXPECT_THAT(sqlite::InspectContent(path(), "", newest, absl::Minutes(1)),
              IsRefused(kDataLoss, ""));
}

TEST_F(DamagedStoreTest, ADamagedSchemaIsRefused) {
  MakeFile();
  Overwrite(100, std::string(300, '\xa5'));
  ExpectRefusal(kDataLoss, "");
}

TEST_F(DamagedStoreTest, AnotherProgramsDatabaseIsRefused) {
  RunSql("CREATE TABLE diary(day, text); INSERT INTO diary VALUES(1, 'rain')");
  ExpectRefusal(kFailedPrecondition, "another program");
  RunSql("PRAGMA application_id = 7; PRAGMA journal_mode = WAL; DELETE FROM diary");
  ExpectRefusal(kFailedPrecondition, "application id 7");
}

TEST_F(DamagedStoreTest, AnEmptyFileWithALogIsRefused) {
  MakeFileWithLog();
  WriteBytes(path(), "");
  ExpectRefusal(kDataLoss, "write-ahead log");
  std::filesystem::remove(path());
  ExpectRefusal(kDataLoss, "write-ahead log");
}

TEST_F(DamagedStoreTest, ALogIsKeptAndUsed) {
  MakeFileWithLog();
  ASSERT_GT(Files().at("store.db-wal").size(), 100000u);
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
  EXPECT_EQ(Files().count("store.db-wal"), 0u);
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  EXPECT_NE(ReadBytes(path()).find(std::string(4000, '\0')), std::string::npos);
}

TEST_F(DamagedStoreTest, AFileThatIsCutOffIsRefusedAlsoWithALog) {
  MakeFileWithLog();
  const std::string whole = ReadBytes(path());
  WriteBytes(path(), whole.substr(0, whole.size() / 2));
  ExpectRefusal(kDataLoss, "truncated");
}

TEST_F(DamagedStoreTest, AGarbagePageIsRefusedAlsoWithALog) {
  MakeFileWithLog();
  Overwrite(ReadBytes(path()).size() / kPage / 2 * kPage, std::string(kPage, '\xa5'));
  ExpectRefusal(kDataLoss, "");
}

// Looks like a checkpoint that was cut short: the header and the first pages have been
// moved, the pages behind the old end are still in the log only.
TEST_F(DamagedStoreTest, PagesMissingInTheFileMayBeInTheLog) {
  MakeFileWithLog();
  const std::string before = ReadBytes(path());
  const std::string log = ReadBytes(path() + "-wal");
  const std::string index = ReadBytes(path() + "-shm");
  RunSql("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string moved = ReadBytes(path());
  ASSERT_GT(moved.size(), before.size());
  WriteBytes(path(), moved.substr(0, kPage) + before.substr(kPage));
  WriteBytes(path() + "-wal", log);
  WriteBytes(path() + "-shm", index);
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  // Without the log the file is damaged.
  WriteBytes(path(), moved.substr(0, kPage) + before.substr(kPage));
  ExpectRefusal(kDataLoss, "truncated");
}

// The page, from 1, that holds the last configuration in a file of MakeFile.
size_t PageOfTrials(const std::string& bytes) {
  return bytes.rfind(std::string(300, 'x')) / kPage + 1;
}

TEST_F(DamagedStoreTest, APageThatIsDamagedUnderAServerIsToldWithItsTableAndWhatToDo) {
  MakeFile(300);
  const size_t page = PageOfTrials(ReadBytes(path()));
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  OverwriteInPlace((page - 1) * kPage + 2000, "!");
  TrialFilter all;
  all.limit = 1000;
  const absl::Status status = (*store)->ListTrials("s", all).status();
  EXPECT_THAT(status, IsRefused(kDataLoss, path()));
  EXPECT_THAT(status, IsRefused(kDataLoss, absl::StrCat("page ", page)));
  EXPECT_THAT(status, IsRefused(kDataLoss, "the table trials"));
  EXPECT_THAT(status, IsRefused(kDataLoss, "does not match its checksum"));
  EXPECT_THAT(status, IsRefused(kDataLoss, "--check"));
  EXPECT_THAT(status, IsRefused(kDataLoss, "--restore-from"));
  EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr("disk I/O")));
  // Nothing is written any more, and the reason is the same.
  const absl::Status refused = CreateStudy(**store, StudyNamed("t")).status;
  EXPECT_THAT(refused, IsRefused(absl::StatusCode::kUnavailable, absl::StrCat("page ", page)));
}

TEST_F(DamagedStoreTest, ACheckNamesTheTablesWithDamagedPages) {
  MakeFile(300);
  const size_t page = PageOfTrials(ReadBytes(path()));
  Overwrite((page - 1) * kPage + 2000, "!");
  const absl::Status status = CheckSqliteFile(path());
  EXPECT_THAT(status, IsRefused(kDataLoss, path()));
  EXPECT_THAT(status, IsRefused(kDataLoss, absl::StrCat("page ", page)));
  EXPECT_THAT(status, IsRefused(kDataLoss, "the table trials"));
  EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr("disk I/O")));
  EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr("provenances")));
  EXPECT_THAT(status, IsRefused(kDataLoss, "restore the newest sound backup"));
  EXPECT_THAT(status, IsRefused(kDataLoss, "slipstream study export"));
  EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr("--check")));
}

TEST_F(DamagedStoreTest, AFullCheckFindsMoreThanOpeningDoes) {
  MakeFile(50);
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  // An index without its table's row: only a whole check compares them.
  RunSql(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage ="
      " (SELECT rootpage FROM sqlite_schema WHERE name = 'study_sources_by_source')"
      " WHERE name = 'sqlite_autoindex_source_tasks_1'");
  const auto before = Files();
  EXPECT_THAT(CheckSqliteFile(path()), IsRefused(kDataLoss, path()));
  EXPECT_EQ(Files(), before);
}

TEST_F(DamagedStoreTest, CheckNamesTheFileThatItCannotCheck) {
  EXPECT_THAT(CheckSqliteFile(path()), IsRefused(absl::StatusCode::kNotFound, path()));
  RunSql("CREATE TABLE diary(day, text)");
  EXPECT_THAT(CheckSqliteFile(path()), IsRefused(kFailedPrecondition, "another program"));
}

// Checks the store on a disk that is mounted for reading; 100 if this process may not mount one.
int CheckOnReadOnlyDisk(const std::string& folder, const std::string& path) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      mount("none", folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
    return 100;
  }
  return static_cast<int>(CheckSqliteFile(path).code());
}

TEST_F(DamagedStoreTest, AFileOnADiskForReadingIsChecked) {
  MakeFile(300);
  const int checked = RunInChild([&] { return CheckOnReadOnlyDisk(folder(), path()); });
  if (checked == 100) GTEST_SKIP() << "this process may not mount a disk";
  EXPECT_EQ(checked, 0);
  std::map<std::string, std::string> files;
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("t")).ok());
    for (const char* suffix : {"", "-wal", "-shm"}) {
      files[path() + suffix] = ReadBytes(path() + suffix);
    }
  }
  for (const auto& [name, bytes] : files) WriteBytes(name, bytes);
  EXPECT_EQ(RunInChild([&] { return CheckOnReadOnlyDisk(folder(), path()); }), 0) << "with a log";
  Overwrite(ReadBytes(path()).size() / 2, "!");
  EXPECT_EQ(RunInChild([&] { return CheckOnReadOnlyDisk(folder(), path()); }),
            static_cast<int>(kDataLoss));
}

}  // namespace
}  // namespace slipstream
