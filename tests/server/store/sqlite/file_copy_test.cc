#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <stop_token>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

class FileCopyTest : public SqliteStoreTest {
 protected:
  std::string Copy() const { return folder() + "/copy.db"; }
  absl::StatusOr<std::unique_ptr<Store>> OpenCopy() const {
    SqliteStoreOptions options = Options();
    options.path = Copy();
    return OpenSqliteStore(options);
  }
};

TEST_F(FileCopyTest, ACopyOfAClosedStoreIsAStore) {
  MakeFile(300);
  const auto before = Files();
  ASSERT_TRUE(BackUpSqliteFile(path(), Copy()).ok()) << BackUpSqliteFile(path(), Copy());
  EXPECT_THAT(Files(), ElementsAre(Key("copy.db"), Key("store.db")));
  EXPECT_EQ(Files().at("store.db"), before.at("store.db"));
  EXPECT_TRUE(CheckSqliteFile(Copy()).ok()) << CheckSqliteFile(Copy());
  const auto copy = OpenCopy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ((*copy)->GetStudy("s")->trial_count, 300);
}

TEST_F(FileCopyTest, ACopyOfAStoreInUseHasAllEarlierAcknowledgedWrites) {
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
  std::atomic<bool> stop{false};
  std::atomic<int64_t> acknowledged{0};
  std::thread writer([&] {
    while (!stop) {
      if (AddTrials(**store, "s", {FinishedTrial(std::string(500, 'x'), 1)}).ok()) ++acknowledged;
    }
  });
  for (int round = 0; round < 5; ++round) {
    while (acknowledged < 50 * (round + 1)) std::this_thread::yield();
    const int64_t before = acknowledged;
    const absl::Status copied = BackUpSqliteFile(path(), Copy());
    EXPECT_TRUE(copied.ok()) << copied;
    const auto copy = OpenCopy();
    if (!copy.ok()) {
      ADD_FAILURE() << copy.status();
      break;
    }
    const int64_t count = (*copy)->GetStudy("s")->trial_count;
    EXPECT_GE(count, before);
    TrialFilter filter;
    filter.limit = 1 << 20;
    EXPECT_EQ((*copy)->ListTrials("s", filter)->size(), static_cast<size_t>(count));
    std::filesystem::remove(Copy());
  }
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  stop = true;
  writer.join();
  // Reading the file in the same process has not released the store's locks.
  EXPECT_EQ((*store)->GetStudy("s")->trial_count, acknowledged);
}

// SQLite then writes pages before the first one.
TEST_F(FileCopyTest, AStoreThatIsLargerThanTheCacheIsCopiedAndRestored) {
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
    const std::string long_text(100'000, 'x');
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(AddTrials(**store, "s", {FinishedTrial(long_text, i)}).ok());
    }
  }
  ASSERT_GT(std::filesystem::file_size(path()), 10'000'000);
  const absl::Status copied = BackUpSqliteFile(path(), Copy());
  ASSERT_TRUE(copied.ok()) << copied;
  EXPECT_TRUE(CheckSqliteFile(Copy()).ok()) << CheckSqliteFile(Copy());
  std::filesystem::remove(path());
  const absl::Status restored = RestoreSqliteFile(Copy(), path());
  ASSERT_TRUE(restored.ok()) << restored;
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->GetStudy("s")->trial_count, 100);
}

TEST_F(FileCopyTest, ACopyThatIsStoppedLeavesNothing) {
  MakeFile(300);
  std::stop_source stop;
  stop.request_stop();
  const absl::Status stopped = BackUpSqliteFile(path(), Copy(), stop.get_token());
  EXPECT_EQ(stopped.code(), absl::StatusCode::kCancelled) << stopped;
  EXPECT_THAT(Files(), ElementsAre(Key("store.db")));
}

// The child is forked before the store starts its threads.
TEST_F(FileCopyTest, AnotherProcessCanCopyAStoreInUse) {
  int begin[2];
  ASSERT_EQ(pipe(begin), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    if (read(begin[0], &byte, 1) != 1) _exit(1);
    _exit(BackUpSqliteFile(path(), Copy()).ok() ? 0 : 2);
  }
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
  ASSERT_EQ(write(begin[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int descriptor : begin) close(descriptor);
  const auto copy = OpenCopy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_TRUE((*copy)->GetStudy("s").ok());
  EXPECT_TRUE(CreateStudy(**store, StudyNamed("t")).ok());
}

TEST_F(FileCopyTest, AnExistingFileIsNotOverwritten) {
  MakeFile();
  WriteBytes(Copy(), "precious");
  EXPECT_THAT(BackUpSqliteFile(path(), Copy()),
              IsRefused(absl::StatusCode::kAlreadyExists, Copy()));
  EXPECT_EQ(ReadBytes(Copy()), "precious");
  std::filesystem::remove(Copy());
  std::filesystem::create_symlink(folder() + "/nowhere", Copy());
  EXPECT_THAT(BackUpSqliteFile(path(), Copy()),
              IsRefused(absl::StatusCode::kAlreadyExists, Copy()));
}

TEST_F(FileCopyTest, ARestoredBackupIsTheStoreAgain) {
  MakeFile(300);
  ASSERT_TRUE(BackUpSqliteFile(path(), Copy()).ok());
  EXPECT_THAT(RestoreSqliteFile(Copy(), path()),
              IsRefused(absl::StatusCode::kAlreadyExists, path() + " of an earlier store"));
  std::filesystem::remove(path());
  // A log of the lost store must not be taken for one of the backup.
  WriteBytes(path() + "-wal", "left");
  EXPECT_THAT(RestoreSqliteFile(Copy(), path()),
              IsRefused(absl::StatusCode::kAlreadyExists, path() + "-wal"));
  std::filesystem::remove(path() + "-wal");
  EXPECT_TRUE(RestoreSqliteFile(Copy(), path()).ok());
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->GetStudy("s")->trial_count, 300);
  EXPECT_THAT(RestoreSqliteFile(Copy(), path()),
              IsRefused(absl::StatusCode::kFailedPrecondition, "the test"));
}

TEST_F(FileCopyTest, AMistakeInTheNameOfABackupLeavesNoTrace) {
  EXPECT_THAT(RestoreSqliteFile(Copy(), path()),
              IsRefused(absl::StatusCode::kNotFound, "there is no backup at " + Copy()));
  WriteBytes(Copy(), "Dear diary");
  EXPECT_FALSE(RestoreSqliteFile(Copy(), path()).ok());
  EXPECT_FALSE(std::filesystem::exists(path() + ".lock"));
}

TEST_F(FileCopyTest, ADamagedBackupIsNotRestored) {
  MakeFile(300);
  std::string bytes = ReadBytes(path());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteBytes(Copy(), bytes);
  std::filesystem::remove(path());
  const absl::Status refused = RestoreSqliteFile(Copy(), path());
  EXPECT_THAT(refused,
              IsRefused(absl::StatusCode::kDataLoss, "the backup " + Copy() + " is damaged"));
  EXPECT_THAT(refused, IsRefused(absl::StatusCode::kDataLoss, "page "));
  EXPECT_THAT(refused, IsRefused(absl::StatusCode::kDataLoss, "of the table trials"));
  EXPECT_THAT(refused, IsRefused(absl::StatusCode::kDataLoss, "restore another backup"));
  EXPECT_THAT(std::string(refused.message()), Not(HasSubstr("stop the server")));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(FileCopyTest, ABackupThatIsCutOffIsNotRestored) {
  MakeFile(300);
  const std::string bytes = ReadBytes(path());
  WriteBytes(Copy(), bytes.substr(0, bytes.size() / 2));
  std::filesystem::remove(path());
  const absl::Status refused = RestoreSqliteFile(Copy(), path());
  EXPECT_THAT(refused, IsRefused(absl::StatusCode::kDataLoss, "it is truncated after page"));
  EXPECT_THAT(refused, IsRefused(absl::StatusCode::kDataLoss, "restore another backup"));
  EXPECT_THAT(std::string(refused.message()), Not(HasSubstr("stop the server")));
}

TEST_F(FileCopyTest, AFailureLeavesNothing) {
  EXPECT_THAT(BackUpSqliteFile(path(), Copy()), IsRefused(absl::StatusCode::kNotFound, path()));
  MakeFile(300);
  EXPECT_THAT(BackUpSqliteFile(path(), folder() + "/missing/copy.db"),
              IsRefused(absl::StatusCode::kNotFound, "missing"));
  std::string file = ReadBytes(path());
  WriteBytes(path(), file.substr(0, file.size() / 2));
  EXPECT_THAT(BackUpSqliteFile(path(), Copy()), IsRefused(absl::StatusCode::kDataLoss, path()));
  EXPECT_THAT(Files(), ElementsAre(Key("store.db")));
}

}  // namespace
}  // namespace slipstream
