#include "server/store/sqlite/sync_times.h"

#include <gtest/gtest.h>

#include "server/store/sqlite/connection.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream::sqlite {
namespace {

using SyncTimesTest = SqliteStoreTest;

constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

TEST_F(SyncTimesTest, EachSyncOfACommitIsTimed) {
  SyncTimes times("");
  auto connection = Connection::Open(path(), kFlags, times.vfs());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)
                  ->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                            "CREATE TABLE t(x)")
                  .ok());
  const int64_t before = times.Seconds().count();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*connection)->Execute("INSERT INTO t VALUES(1)").ok());
  }
  EXPECT_EQ(times.Seconds().count(), before + 5);
  EXPECT_GT(times.Seconds().sum, 0);
}

TEST_F(SyncTimesTest, FaultsOfTheLayerBelowComeThrough) {
  FaultVfs disk;
  SyncTimes times(disk.name());
  auto connection = Connection::Open(path(), kFlags, times.vfs());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Execute("CREATE TABLE t(x)").ok());
  disk.FailSyncs();
  EXPECT_FALSE((*connection)->Execute("INSERT INTO t VALUES(1)").ok());
}

TEST_F(SyncTimesTest, AnUnknownLayerBelowIsAnErrorOfOpening) {
  SyncTimes times("no-such-layer");
  EXPECT_FALSE(Connection::Open(path(), kFlags, times.vfs()).ok());
}

}  // namespace
}  // namespace slipstream::sqlite
