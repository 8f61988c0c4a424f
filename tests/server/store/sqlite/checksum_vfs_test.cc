#include "server/store/sqlite/checksum_vfs.h"

#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using sqlite::Query;

class ChecksumVfsTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    const auto connection = Connect();
    ASSERT_TRUE(sqlite::RequestChecksums(*connection).ok());
    ASSERT_TRUE(
        connection->Execute("CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(20000))").ok());
  }
  std::unique_ptr<Connection> Connect() {
    return *Connection::Open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs());
  }
  absl::Status ReadAll() {
    const auto connection = Connect();
    return Query(*connection, "SELECT sum(length(hex(x))) FROM t").Run();
  }
};

TEST_F(ChecksumVfsTest, AnyFlippedBitIsFound) {
  const std::string whole = ReadBytes(path());
  ASSERT_EQ(whole.size() % 4096, 0u);
  ASSERT_TRUE(ReadAll().ok()) << ReadAll();
  for (size_t at = 0; at < whole.size(); at += 397) {
    if (at == 20) continue;  // Whether there are checksums; file_check.cc knows it of a store.
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    WriteBytes(path(), damaged);
    EXPECT_FALSE(ReadAll().ok()) << at;
  }
}

// Each of them is sound on its own.
TEST_F(ChecksumVfsTest, AnExchangedPageIsFound) {
  std::string whole = ReadBytes(path());
  const std::string page = whole.substr(3 * 4096, 4096);
  whole.replace(3 * 4096, 4096, whole.substr(4 * 4096, 4096));
  whole.replace(4 * 4096, 4096, page);
  WriteBytes(path(), whole);
  EXPECT_THAT(ReadAll(), IsRefused(absl::StatusCode::kDataLoss, path()));
}

TEST_F(ChecksumVfsTest, AFileWithoutChecksumsIsReadAsItIs) {
  const std::string other = folder() + "/other.db";
  const auto connection =
      *Connection::Open(other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs());
  ASSERT_TRUE(connection->Execute("CREATE TABLE t(x); INSERT INTO t VALUES('x')").ok());
  EXPECT_FALSE(sqlite::HeaderHasChecksums(ReadBytes(other)));
  // They come when all pages are written again.
  ASSERT_TRUE(sqlite::RequestChecksums(*connection).ok());
  ASSERT_TRUE(connection->Execute("VACUUM").ok());
  EXPECT_TRUE(sqlite::HeaderHasChecksums(ReadBytes(other)));
  EXPECT_TRUE(Query(*connection, "SELECT * FROM t").Run().ok());
}

// As after a rewriting that was cut short before its checkpoint: a connection that was opened
// before the file had checksums writes pages with them.
TEST_F(ChecksumVfsTest, AConnectionNoticesThatAnotherHasGivenTheFileChecksums) {
  const std::string other = folder() + "/other.db";
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const auto first = *Connection::Open(other, kFlags, vfs());
  ASSERT_TRUE(first
                  ->Execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x);"
                            "INSERT INTO t VALUES(zeroblob(20000))")
                  .ok());
  const auto second = *Connection::Open(other, kFlags, vfs());
  ASSERT_TRUE(second->Execute("SELECT count(*) FROM t; PRAGMA wal_checkpoint(TRUNCATE)").ok());
  ASSERT_TRUE(sqlite::RequestChecksums(*first).ok());
  ASSERT_TRUE(first->Execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").ok());
  ASSERT_TRUE(
      second->Execute("UPDATE t SET x = zeroblob(20001); PRAGMA wal_checkpoint(TRUNCATE)").ok());
  const auto third = *Connection::Open(other, kFlags, vfs());
  Query check(*third, "PRAGMA integrity_check");
  ASSERT_TRUE(check.Run().ok());
  EXPECT_EQ(check.Bytes(0), "ok");
}

TEST_F(ChecksumVfsTest, AnUnknownBaseCannotBeOpened) {
  sqlite::ChecksumVfs unknown("no such VFS");
  EXPECT_FALSE(Connection::Open(path(), SQLITE_OPEN_READWRITE, unknown.name()).ok());
}

}  // namespace
}  // namespace slipstream
