#include "server/store/sqlite/free_pages.h"

#include <filesystem>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

class FreePagesTest : public SqliteStoreTest {
 protected:
  // Pages of the database as its readers see it.
  int64_t Pages() {
    const auto connection = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    sqlite::Query query(**connection, "PRAGMA page_count");
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }
};

TEST_F(FreePagesTest, TheSpaceOfADeletedStudyIsGivenBackWhileTheStoreIsInUse) {
  MakeFile(20000);
  const auto full = static_cast<int64_t>(std::filesystem::file_size(path()));
  ASSERT_GT(full, 7 << 20);
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("other")).ok());
    ASSERT_TRUE(AddTrials(**store, "other", {FinishedTrial("x", 1)}).ok());
    ASSERT_TRUE(DeleteStudy(**store, "s").ok());
    // Turn by turn, in the idle time of the store.
    while (Pages() > 1 << 9) std::this_thread::yield();
    ASSERT_TRUE(AddTrials(**store, "other", {FinishedTrial("y", 1)}).ok());
    EXPECT_EQ((*store)->GetStudy("other")->trial_count, 2);
  }
  EXPECT_LT(std::filesystem::file_size(path()), 2u << 20);
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  const auto again = Open();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->GetTrial("other", 2)->configuration, "y");
}

TEST_F(FreePagesTest, TheFileBecomesShorterThoughNobodyWrites) {
  MakeFile(20000);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(CreateStudy(**store, StudyNamed("other")).ok());
  ASSERT_TRUE(DeleteStudy(**store, "s").ok());
  while (std::filesystem::file_size(path()) > 2u << 20) std::this_thread::yield();
  ASSERT_TRUE(AddTrials(**store, "other", {FinishedTrial("x", 1)}).ok());
}

// Nothing is left to be erased after these deletions.
TEST_F(FreePagesTest, TheFileBecomesShorterAfterSourceTasksAndStudiesWithoutTrialsAreDeleted) {
  constexpr int kEach = 6;
  const auto source = [](int i) { return absl::StrCat("t", i); };
  const auto study = [](int i) { return absl::StrCat("s", i); };
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < kEach; ++i) {
      NewSourceTask task = SourceTaskNamed(source(i));
      task.chunks = {std::string(1 << 20, 'x')};
      ASSERT_TRUE(RegisterSourceTask(**store, task).ok());
      NewStudy with_candidates = StudyNamed(study(i));
      with_candidates.candidates = std::string(1 << 20, 'x');
      ASSERT_TRUE(CreateStudy(**store, with_candidates).ok());
    }
  }
  ASSERT_GT(std::filesystem::file_size(path()), 12u << 20);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  for (int i = 0; i < kEach; ++i) ASSERT_TRUE(DeleteSourceTask(**store, source(i)).ok());
  while (std::filesystem::file_size(path()) > 8u << 20) std::this_thread::yield();
  for (int i = 0; i < kEach; ++i) ASSERT_TRUE(DeleteStudy(**store, study(i)).ok());
  while (std::filesystem::file_size(path()) > 2u << 20) std::this_thread::yield();
}

TEST_F(FreePagesTest, AFewFreePagesAreKeptForWhatIsWrittenNext) {
  MakeFile(300);
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(DeleteStudy(**store, "s").ok());
  }
  const auto connection = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
  ASSERT_TRUE(connection.ok()) << connection.status();
  EXPECT_FALSE(*sqlite::FreePages(connection->get()).TooMany());
}

// A file that is shorter afterwards has not been cut off by somebody else, and can be again.
TEST_F(FreePagesTest, TheStoreGoesOnAfterItsFileHasBecomeShorter) {
  MakeFile(20000);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(DeleteStudy(**store, "s").ok());
    while (Pages() > 1 << 9) std::this_thread::yield();
    // More than the log holds, so that checkpoints cut the file off.
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
    const std::vector<NewTrial> trials(2000, FinishedTrial(std::string(300, 'x'), 1));
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(AddTrials(**store, "s", trials).ok());
  }
  EXPECT_EQ((*store)->GetStudy("s")->trial_count, 60000);
}

// The log says that the file is to be shorter, and the first checkpoint makes it so.
TEST_F(FreePagesTest, AStoreThatWasKilledBeforeItsFileWasCutOffGoesOn) {
  MakeFile(20000);
  std::map<std::string, std::string> files;
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    // While somebody reads the old state, the file stays as it is.
    const auto reader = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE((*reader)->Execute("BEGIN; SELECT count(*) FROM trials").ok());
    ASSERT_TRUE(DeleteStudy(**store, "s").ok());
    while (Pages() > 1 << 9) std::this_thread::yield();
    for (const char* suffix : {"", "-wal", "-shm"}) files[suffix] = ReadBytes(path() + suffix);
  }
  ASSERT_GT(files[""].size(), 7u << 20);
  for (const auto& [suffix, bytes] : files) WriteBytes(path() + suffix, bytes);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(CreateStudy(**store, StudyNamed("t")).ok());
  for (int i = 0; i < 30; ++i) {
    const std::vector<NewTrial> trials(2000, FinishedTrial(std::string(300, 'x'), 1));
    ASSERT_TRUE(AddTrials(**store, "t", trials).ok());
  }
}

}  // namespace
}  // namespace slipstream
