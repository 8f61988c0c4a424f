#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "server/store/sqlite/file_lock.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::Key;

constexpr auto kInvalidArgument = absl::StatusCode::kInvalidArgument;
constexpr auto kNotFound = absl::StatusCode::kNotFound;
constexpr auto kPermissionDenied = absl::StatusCode::kPermissionDenied;

// In a process of its own, as SQLite goes on as it was first used in one.
TEST(SqliteStore, SqliteTakesNoLocksToCountItsMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        SqliteStoreOptions options;
        options.path = testing::TempDir() + "/uncounted-" + std::to_string(getpid()) + ".db";
        options.create = true;
        const auto store = OpenSqliteStore(options);
        for (const char* const end : {"", "-wal", "-shm", ".lock"}) {
          unlink((options.path + end).c_str());
        }
        _exit(store.ok() && sqlite3_memory_used() == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(SqliteStoreTest, AClosedStoreIsOneFile) {
  MakeFile();
  EXPECT_THAT(Files(), ElementsAre(Key("store.db")));
  EXPECT_FALSE(std::filesystem::exists(path() + "-shm"));
}

TEST_F(SqliteStoreTest, AnEmptyFileBecomesAStore) {
  WriteBytes(path(), "");
  MakeFile();
  EXPECT_GT(ReadBytes(path()).size(), 4096u);
}

TEST_F(SqliteStoreTest, ASecondOpenNamesTheHolderOfTheFile) {
  SqliteStoreOptions options = Options();
  options.holder = "slipstream_server pid 42 on 127.0.0.1:7411";
  const auto store = OpenSqliteStore(options);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_THAT(OpenStatus(),
              IsRefused(kFailedPrecondition, "slipstream_server pid 42 on 127.0.0.1:7411"));
  EXPECT_THAT(OpenStatus(), IsRefused(kFailedPrecondition, path()));
  // The first one still works.
  EXPECT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
}

TEST_F(SqliteStoreTest, ALinkIsNoWayAroundTheLock) {
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  std::filesystem::create_symlink(path(), folder() + "/link.db");
  SqliteStoreOptions options = Options();
  options.path = folder() + "/link.db";
  EXPECT_THAT(OpenSqliteStore(options).status(), IsRefused(kFailedPrecondition, "the test"));
  options.path = folder() + "/./store.db";
  EXPECT_THAT(OpenSqliteStore(options).status(), IsRefused(kFailedPrecondition, "the test"));
}

TEST_F(SqliteStoreTest, AFileWithASecondNameIsRefusedUntilThatIsGone) {
  MakeFile();
  const std::string other = folder() + "/elsewhere";
  std::filesystem::create_directory(other);
  std::filesystem::create_hard_link(path(), other + "/store.db");
  SqliteStoreOptions options = Options();
  options.path = other + "/store.db";
  EXPECT_THAT(OpenSqliteStore(options).status(), IsRefused(kFailedPrecondition, other));
  EXPECT_THAT(OpenStatus(), IsRefused(kFailedPrecondition, "has 2 names (hard links)"));
  std::filesystem::remove(path());
  EXPECT_TRUE(OpenSqliteStore(options).ok());
}

TEST_F(SqliteStoreTest, ABackupWithASecondNameCanBeRestored) {
  MakeFile();
  std::filesystem::create_hard_link(path(), folder() + "/linked.db");
  const std::string restored = folder() + "/restored.db";
  EXPECT_EQ(RestoreSqliteFile(folder() + "/linked.db", restored), absl::OkStatus());
  EXPECT_EQ(CheckSqliteFile(path()), absl::OkStatus());
}

TEST_F(SqliteStoreTest, AnotherProcessIsRefusedWhileTheFileIsOpenAndLetInAfterwards) {
  int to_child[2];
  int to_parent[2];
  ASSERT_EQ(pipe(to_child), 0);
  ASSERT_EQ(pipe(to_parent), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto held = sqlite::FileLock::Acquire(path(), "the other process");
    char byte = held.ok() ? 'y' : 'n';
    if (write(to_parent[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  EXPECT_THAT(OpenStatus(), IsRefused(kFailedPrecondition, "the other process"));
  ASSERT_EQ(write(to_child[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
  for (const int descriptor : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) {
    close(descriptor);
  }
}

TEST_F(SqliteStoreTest, AForkedChildDoesNotKeepTheLock) {
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(hold[1]);
    char byte = 0;
    _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  store->reset();
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
  close(hold[0]);
  close(hold[1]);
  int status = 0;
  waitpid(child, &status, 0);
}

TEST_F(SqliteStoreTest, AMissingFolderIsNotFound) {
  SqliteStoreOptions options = Options();
  options.path = folder() + "/missing/store.db";
  EXPECT_THAT(OpenSqliteStore(options).status(), IsRefused(kNotFound, options.path));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/missing"));
  WriteBytes(folder() + "/file", "");
  options.path = folder() + "/file/store.db";
  EXPECT_THAT(OpenSqliteStore(options).status(), IsRefused(kNotFound, options.path));
}

TEST_F(SqliteStoreTest, AFolderIsNoStore) {
  std::filesystem::create_directory(path());
  EXPECT_THAT(OpenStatus(), IsRefused(kFailedPrecondition, path()));
}

// Opens the store as a user whom permissions bind, unlike root.
int OpenAsNobody(const SqliteStoreOptions& options) {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 100;
  return static_cast<int>(OpenSqliteStore(options).status().code());
}

TEST_F(SqliteStoreTest, AFolderThatCannotBeWrittenIsPermissionDenied) {
  ASSERT_EQ(chmod(folder().c_str(), 0555), 0);
  EXPECT_EQ(RunInChild([&] { return OpenAsNobody(Options()); }),
            static_cast<int>(kPermissionDenied));
  ASSERT_EQ(chmod(folder().c_str(), 0755), 0);
  EXPECT_TRUE(Files().empty());
}

TEST_F(SqliteStoreTest, AFileThatCannotBeWrittenIsPermissionDenied) {
  MakeFile();
  ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
  ASSERT_EQ(chmod((path() + ".lock").c_str(), 0666), 0);
  ASSERT_EQ(chmod(path().c_str(), 0444), 0);
  const auto before = Files();
  EXPECT_EQ(RunInChild([&] { return OpenAsNobody(Options()); }),
            static_cast<int>(kPermissionDenied));
  EXPECT_EQ(Files(), before);
}

TEST_F(SqliteStoreTest, AFileThatCannotBeReadIsPermissionDenied) {
  MakeFile();
  ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
  ASSERT_EQ(chmod((path() + ".lock").c_str(), 0666), 0);
  ASSERT_EQ(chmod(path().c_str(), 0), 0);
  EXPECT_EQ(RunInChild([&] { return OpenAsNobody(Options()); }),
            static_cast<int>(kPermissionDenied));
}

TEST_F(SqliteStoreTest, ADiskMountedForReadingIsPermissionDenied) {
  MakeFile();
  const auto before = Files();
  FaultVfs disk;
  SqliteStoreOptions options = Options();
  options.vfs = disk.name();
  for (const int code : {SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_READONLY_DIRECTORY}) {
    disk.FailOpeningForWrite(code);
    EXPECT_THAT(OpenSqliteStore(options).status(), IsRefused(kPermissionDenied, path()));
  }
  EXPECT_EQ(Files(), before);
  disk.Repair();
  EXPECT_TRUE(OpenSqliteStore(options).ok());
}

TEST_F(SqliteStoreTest, ADiskThatIsFullAtTheBeginningCanBeUsedLater) {
  FaultVfs disk;
  SqliteStoreOptions options = Options();
  options.vfs = disk.name();
  disk.FillUpAfter(10000);
  EXPECT_THAT(OpenSqliteStore(options).status(),
              IsRefused(absl::StatusCode::kResourceExhausted, path()));
  disk.Repair();
  const auto opened = OpenSqliteStore(options);
  EXPECT_TRUE(opened.ok()) << opened.status();
}

TEST_F(SqliteStoreTest, OptionsOutOfBoundsAreNamed) {
  const auto refusal = [&](auto change) {
    SqliteStoreOptions options = Options();
    change(options);
    return OpenSqliteStore(options).status();
  };
  EXPECT_THAT(refusal([](auto& o) { o.path = ""; }), IsRefused(kInvalidArgument, "path"));
  EXPECT_THAT(refusal([](auto& o) { o.readers = 0; }), IsRefused(kInvalidArgument, "readers is 0"));
  EXPECT_THAT(refusal([](auto& o) { o.retention = absl::ZeroDuration(); }),
              IsRefused(kInvalidArgument, "retention"));
  EXPECT_THAT(refusal([](auto& o) { o.max_waiting_writes = 0; }),
              IsRefused(kInvalidArgument, "max_waiting_writes"));
  EXPECT_THAT(refusal([](auto& o) { o.max_writes_per_commit = 0; }),
              IsRefused(kInvalidArgument, "max_writes_per_commit"));
  EXPECT_THAT(refusal([](auto& o) { o.max_trials_per_study = 1 << 24; }),
              IsRefused(kInvalidArgument, "max_trials_per_study"));
  EXPECT_THAT(refusal([](auto& o) { o.writer_cache_kib = -1; }),
              IsRefused(kInvalidArgument, "writer_cache_kib"));
  EXPECT_THAT(refusal([](auto& o) { o.reader_cache_kib = 0; }),
              IsRefused(kInvalidArgument, "reader_cache_kib"));
  EXPECT_TRUE(Files().empty());
}

TEST_F(SqliteStoreTest, APathMayHaveAnyCharacters) {
  SqliteStoreOptions options = Options();
  options.path = folder() + "/a b?c#d%41&mode=memory.db";
  {
    const auto store = OpenSqliteStore(options);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
  }
  const auto again = OpenSqliteStore(options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE((*again)->GetStudy("s").ok());
  EXPECT_TRUE(std::filesystem::exists(options.path));
}

}  // namespace
}  // namespace slipstream
