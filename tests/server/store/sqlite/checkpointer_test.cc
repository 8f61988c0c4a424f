#include "server/store/sqlite/checkpointer.h"

#include <filesystem>
#include <thread>

#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream {
namespace {

using sqlite::Checkpointer;
using sqlite::CheckpointerOptions;
using sqlite::Connection;
using sqlite::Query;

class CheckpointerTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    writer_ = Connect();
    ASSERT_TRUE(writer_->Execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)").ok());
  }

  std::unique_ptr<Connection> Connect() {
    auto connection =
        Connection::Open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk_.name());
    EXPECT_TRUE(connection.ok()) << connection.status();
    return *std::move(connection);
  }

  std::unique_ptr<Checkpointer> Start(int pages, int most_pages) {
    CheckpointerOptions options;
    options.pages = pages;
    options.most_pages = most_pages;
    return std::make_unique<Checkpointer>(writer_.get(), Connect(), options);
  }

  // One commit of a few pages.
  void Commit() { ASSERT_TRUE(writer_->Execute("INSERT INTO t VALUES(zeroblob(8000))").ok()); }

  uintmax_t LogPages() const { return std::filesystem::file_size(path() + "-wal") / 4120; }

  FaultVfs disk_;
  std::unique_ptr<Connection> writer_;
};

TEST_F(CheckpointerTest, TheLogStaysBoundedWhileWritesGoOn) {
  const auto checkpointer = Start(50, 400);
  for (int i = 0; i < 600; ++i) {
    Commit();
    ASSERT_TRUE(checkpointer->AfterCommit().ok());
  }
  // At least 600 commits of three pages; the log may exceed its bound by a commit.
  EXPECT_LT(LogPages(), 420u);
}

TEST_F(CheckpointerTest, ALongReadOnlyDelaysTheRestartOfTheLog) {
  const auto checkpointer = Start(20, 100);
  const auto reader = Connect();
  ASSERT_TRUE(reader->Execute("BEGIN; SELECT * FROM t").ok());
  for (int i = 0; i < 100; ++i) {
    Commit();
    ASSERT_TRUE(checkpointer->AfterCommit().ok());
  }
  const uintmax_t held = LogPages();
  EXPECT_GT(held, 200u);
  ASSERT_TRUE(reader->Execute("COMMIT").ok());
  for (int i = 0; i < 300; ++i) {
    Commit();
    ASSERT_TRUE(checkpointer->AfterCommit().ok());
  }
  EXPECT_LT(LogPages(), held + 200);
}

TEST_F(CheckpointerTest, ClosingMovesTheWholeLog) {
  const auto checkpointer = Start(1000, 10000);
  for (int i = 0; i < 20; ++i) Commit();
  EXPECT_GT(LogPages(), 20u);
  checkpointer->Close(/*sound=*/true);
  EXPECT_EQ(LogPages(), 0u);
}

TEST_F(CheckpointerTest, ClosingAnUnsoundDiskKeepsTheLog) {
  auto checkpointer = Start(1000, 10000);
  for (int i = 0; i < 20; ++i) Commit();
  const uintmax_t before = LogPages();
  checkpointer->Close(/*sound=*/false);
  checkpointer.reset();
  writer_.reset();
  EXPECT_EQ(LogPages(), before);
}

TEST_F(CheckpointerTest, AFailingDiskEndsWriting) {
  const auto checkpointer = Start(10, 10000);
  for (int i = 0; i < 20; ++i) Commit();
  disk_.FailSyncs();
  bool sound = true;
  while (sound) {
    sound = checkpointer->AfterCommit().ok();
    std::this_thread::yield();
  }
  // This holds after the disk has been repaired, too.
  disk_.Repair();
  for (int i = 0; i < 3; ++i) sound = sound || checkpointer->AfterCommit().ok();
  const uintmax_t before = LogPages();
  checkpointer->Close(/*sound=*/true);
  EXPECT_EQ(LogPages(), before);
}

}  // namespace
}  // namespace slipstream
