#include "server/store/sqlite/vfs_layer.h"

#include <gtest/gtest.h>

#include "server/store/sqlite/connection.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream::sqlite {
namespace {

using VfsLayerTest = SqliteStoreTest;

constexpr int kLayeredFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

struct Counts {
  int opened = 0;
  int written = 0;
};

// Counts what is done with databases and not with their logs.
struct CountedFile : PassingFile<CountedFile> {
  CountedFile(Counts& owner, int /*open_flags*/) : counts(owner) { ++counts.opened; }

  static bool IsOfLayer(int open_flags) { return (open_flags & SQLITE_OPEN_MAIN_DB) != 0; }
  int Write(const void* bytes, int size, sqlite3_int64 offset) {
    ++counts.written;
    return PassingFile::Write(bytes, size, offset);
  }

  Counts& counts;
};

TEST_F(VfsLayerTest, SeesTheFilesThatItAsksForAndPassesTheRestOn) {
  Counts counts;
  VfsLayer<CountedFile, Counts> layer("counted", "", counts);
  auto connection = Connection::Open(path(), kLayeredFlags, layer.name());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)").ok());
  EXPECT_EQ(counts.opened, 1);
  const int before = counts.written;
  ASSERT_TRUE((*connection)->Execute("INSERT INTO t VALUES(1)").ok());
  EXPECT_EQ(counts.written, before) << "the log was taken for the database";
  ASSERT_TRUE((*connection)->Execute("PRAGMA wal_checkpoint").ok());
  EXPECT_GT(counts.written, before);
}

TEST_F(VfsLayerTest, LayersStandOnEachOther) {
  Counts upper;
  Counts lower;
  VfsLayer<CountedFile, Counts> below("lower", "", lower);
  VfsLayer<CountedFile, Counts> above("upper", below.name(), upper);
  auto connection = Connection::Open(path(), kLayeredFlags, above.name());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Execute("CREATE TABLE t(x)").ok());
  EXPECT_GT(lower.written, 0);
  EXPECT_EQ(upper.written, lower.written);
}

TEST_F(VfsLayerTest, WithoutABaseNothingOpens) {
  Counts counts;
  VfsLayer<CountedFile, Counts> layer("counted", "no-such-base", counts);
  EXPECT_FALSE(Connection::Open(path(), kLayeredFlags, layer.name()).ok());
  EXPECT_EQ(counts.opened, 0);
}

}  // namespace
}  // namespace slipstream::sqlite
