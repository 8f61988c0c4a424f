#include "server/store/sqlite/gathered_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite/connection.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream::sqlite {
namespace {

constexpr int kLogFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

struct LogWrites {
  int calls = 0;
  int64_t bytes = 0;
};

struct CountedLogFile : PassingFile<CountedLogFile> {
  CountedLogFile(LogWrites& owner, int /*open_flags*/) : writes(owner) {}

  static bool IsOfLayer(int open_flags) { return (open_flags & SQLITE_OPEN_WAL) != 0; }
  int Write(const void* bytes, int size, sqlite3_int64 offset) {
    ++writes.calls;
    writes.bytes += size;
    return PassingFile::Write(bytes, size, offset);
  }

  LogWrites& writes;
};

class GatheredLogTest : public SqliteStoreTest {
 protected:
  // A connection whose log is gathered above the VFS `base`, with a table t(x).
  std::unique_ptr<Connection> OpenOn(GatheredLog& log) {
    auto connection = Connection::Open(path(), kLogFlags, log.vfs());
    EXPECT_TRUE(connection.ok()) << connection.status();
    EXPECT_TRUE((*connection)
                    ->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                              "CREATE TABLE IF NOT EXISTS t(key INTEGER PRIMARY KEY, x)")
                    .ok());
    return *std::move(connection);
  }

  // What another process would read.
  static std::string Read(Connection& connection, const std::string& sql) {
    Query query(connection, sql.c_str());
    const absl::Status status = query.Run();
    return status.ok() ? std::string(query.Bytes(0)) : status.ToString();
  }
};

TEST_F(GatheredLogTest, ACommitOfManyPagesIsOneWrite) {
  LogWrites writes;
  VfsLayer<CountedLogFile, LogWrites> counted("counted-log", "", writes);
  GatheredLog log(counted.name());
  const auto connection = OpenOn(log);
  writes = {};
  // A row of ten pages.
  ASSERT_TRUE(connection->Execute("INSERT INTO t VALUES(1, zeroblob(40960))").ok());
  EXPECT_EQ(writes.calls, 1);
  EXPECT_GT(writes.bytes, 40960);
}

TEST_F(GatheredLogTest, ACommitThatIsLargerThanWhatIsGatheredIsWrittenInParts) {
  LogWrites writes;
  VfsLayer<CountedLogFile, LogWrites> counted("counted-log", "", writes);
  GatheredLog log(counted.name());
  const auto connection = OpenOn(log);
  writes = {};
  const absl::Status written = connection->Execute("INSERT INTO t VALUES(1, zeroblob(1000000))");
  ASSERT_TRUE(written.ok()) << written;
  EXPECT_GT(writes.calls, 1);
  EXPECT_LT(writes.calls, 12);
  EXPECT_GT(writes.bytes, 1000000);
  EXPECT_EQ(Read(*connection, "SELECT CAST(sum(length(x)) AS TEXT) FROM t"), "1000000");
}

TEST_F(GatheredLogTest, OthersReadEachCommitAfterSpillsRollbacksAndMovesOfTheLog) {
  GatheredLog log("");
  const auto writer = OpenOn(log);
  // Pages that do not fit are written to the log in the middle of a transaction.
  ASSERT_TRUE(writer->Execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0").ok());
  auto reader = Connection::Open(path(), kLogFlags, "");
  ASSERT_TRUE(reader.ok()) << reader.status();
  constexpr char kSum[] =
      "SELECT CAST(count(*) AS TEXT) || ' ' || total(length(x)) || ' ' || total(key) FROM t";
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same each time.
  const auto below = [&random](int bound) { return static_cast<int>(random() % bound); };
  for (int round = 0; round < 300; ++round) {
    const std::string before = Read(*reader.value(), kSum);
    ASSERT_TRUE(writer->Execute("BEGIN").ok());
    for (int part = below(4); part >= 0; --part) {
      const absl::Status changed = writer->Execute(absl::StrCat(
          "SAVEPOINT part; REPLACE INTO t VALUES(", below(60), ", randomblob(", below(50000), "));",
          below(3) == 0 ? "ROLLBACK TO part;" : "", "DELETE FROM t WHERE key = ", below(60),
          "; RELEASE part"));
      ASSERT_TRUE(changed.ok()) << round << ": " << changed;
    }
    const std::string changed = Read(*writer, kSum);
    ASSERT_EQ(Read(*reader.value(), kSum), before) << round;
    const bool commits = below(4) != 0;
    ASSERT_TRUE(writer->Execute(commits ? "COMMIT" : "ROLLBACK").ok());
    ASSERT_EQ(Read(*reader.value(), kSum), commits ? changed : before) << round;
    if (below(10) == 0) {
      Connection& mover = below(2) == 0 ? *writer : *reader.value();
      ASSERT_TRUE(mover.Execute("PRAGMA wal_checkpoint(TRUNCATE)").ok());
    }
  }
  EXPECT_EQ(Read(**reader, "PRAGMA integrity_check"), "ok");
}

TEST_F(GatheredLogTest, ACommitThatTheDiskHasNoRoomForFailsAndTheNextOneIsWritten) {
  FaultVfs disk;
  GatheredLog log(disk.name());
  const auto connection = OpenOn(log);
  disk.FillUpAfter(10000);
  EXPECT_FALSE(connection->Execute("INSERT INTO t VALUES(1, zeroblob(40960))").ok());
  disk.Repair();
  ASSERT_TRUE(connection->Execute("INSERT INTO t VALUES(2, zeroblob(40960))").ok());
  EXPECT_EQ(Read(*connection, "SELECT CAST(sum(key) AS TEXT) FROM t"), "2");
  EXPECT_EQ(Read(*connection, "PRAGMA integrity_check"), "ok");
}

TEST_F(GatheredLogTest, ACommitThatIsRefusedForItsSizeFailsAndTheNextOneIsWritten) {
  GatheredLog log("");
  const auto connection = OpenOn(log);
  std::vector<int64_t> asked;
  log.SetRoom([&](int64_t pages) {
    asked.push_back(pages);
    return pages < 100;
  });
  // Also one whose pages were written before it ends.
  ASSERT_TRUE(connection->Execute("PRAGMA cache_size = 10").ok());
  for (const int size : {40'960, 1'000'000}) {
    const std::string insert = absl::StrCat("INSERT INTO t(x) VALUES(zeroblob(", size, "))");
    asked.clear();
    EXPECT_EQ(connection->Execute(insert).ok(), size < 50'000);
    const std::vector<int64_t> pages = asked;
    EXPECT_THAT(pages, testing::Each(testing::Gt(size / 4096)));
    EXPECT_FALSE(pages.empty());
    EXPECT_EQ(connection->TakeFailure(), size < 50'000 ? SQLITE_OK : SQLITE_FULL);
    EXPECT_NE(sqlite3_get_autocommit(connection->database()), 0);
  }
  ASSERT_TRUE(connection->Execute("INSERT INTO t(x) VALUES(1)").ok());
  EXPECT_EQ(Read(*connection, "SELECT CAST(count(*) AS TEXT) FROM t"), "2");
  EXPECT_EQ(Read(*connection, "SELECT CAST(page_count AS TEXT) FROM pragma_page_count"),
            std::to_string(asked.back()));
  EXPECT_EQ(Read(*connection, "PRAGMA integrity_check"), "ok");
}

TEST_F(GatheredLogTest, ACommitThatIsNotSyncedFails) {
  FaultVfs disk;
  GatheredLog log(disk.name());
  const auto connection = OpenOn(log);
  disk.FailSyncs();
  EXPECT_FALSE(connection->Execute("INSERT INTO t VALUES(1, 1)").ok());
}

TEST_F(GatheredLogTest, AnUnknownLayerBelowIsAnErrorOfOpening) {
  GatheredLog log("no-such-layer");
  EXPECT_FALSE(Connection::Open(path(), kLogFlags, log.vfs()).ok());
}

}  // namespace
}  // namespace slipstream::sqlite
