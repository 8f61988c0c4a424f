#include "server/store/sqlite/study_purge.h"

#include <thread>

#include "server/store/sqlite/sqlite_transaction.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using sqlite::Query;
using sqlite::StudyPurge;

class StudyPurgeTest : public SqliteStoreTest {
 protected:
  std::unique_ptr<Connection> Connect() {
    auto connection = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    EXPECT_TRUE(connection.ok()) << connection.status();
    return *std::move(connection);
  }
  static int64_t Count(Connection& connection, const char* sql) {
    Query query(connection, sql);
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }
  static int64_t Trials(Connection& connection) {
    return Count(connection, "SELECT count(*) FROM trials");
  }
};

TEST_F(StudyPurgeTest, TrialsOfTheStudyAndNoOthersAreErasedInSteps) {
  MakeFile(2500);
  const auto connection = Connect();
  TrialRecord neighbour;
  neighbour.number = 1;
  sqlite::LeaseHorizon horizon;
  sqlite::SqliteTransaction rows(connection.get(), /*retention_ms=*/1, &horizon);
  ASSERT_TRUE(rows.InsertTrial(2, neighbour, "why").ok());
  StudyPurge purge(connection.get());
  ASSERT_TRUE(purge.Add(1, 2500).ok());
  int64_t before = Trials(*connection);
  int steps = 0;
  for (; purge.pending(); ++steps) {
    ASSERT_TRUE(purge.Continue().ok());
    EXPECT_GE(Trials(*connection), before - 1000);
    before = Trials(*connection);
  }
  EXPECT_GE(steps, 3);
  EXPECT_EQ(Trials(*connection), 1);
  EXPECT_EQ(Count(*connection, "SELECT count(*) FROM provenances"), 1);
  EXPECT_EQ(Count(*connection, "SELECT count(*) FROM study_purges"), 0);
}

TEST_F(StudyPurgeTest, TrialsWithManyReportsAreErasedInSmallerSteps) {
  MakeFile(60);
  const auto connection = Connect();
  ASSERT_TRUE(connection
                  ->Execute("WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM"
                            " numbers WHERE n < 999) INSERT INTO reports SELECT id, n, n / 10.0"
                            " FROM trials CROSS JOIN numbers WHERE id % 256 <= 50")
                  .ok());
  const auto reports = [&] { return Count(*connection, "SELECT count(*) FROM reports"); };
  ASSERT_EQ(reports(), 50'000);
  StudyPurge purge(connection.get());
  ASSERT_TRUE(purge.Add(1, 60).ok());
  for (const int64_t left : {29'000, 8'000, 0}) {
    ASSERT_TRUE(purge.Continue().ok());
    EXPECT_EQ(reports(), left);
    EXPECT_EQ(Trials(*connection), left == 0 ? 0 : 10 + left / 1'000);
  }
  ASSERT_TRUE(purge.Continue().ok());
  EXPECT_FALSE(purge.pending());
  EXPECT_EQ(Count(*connection, "SELECT count(*) FROM study_purges"), 0);
}

TEST_F(StudyPurgeTest, AnInterruptedPurgeGoesOnWhereItStopped) {
  MakeFile(2500);
  const auto connection = Connect();
  {
    StudyPurge purge(connection.get());
    ASSERT_TRUE(purge.Add(1, 2500).ok());
    ASSERT_TRUE(purge.Continue().ok());
  }
  EXPECT_EQ(Trials(*connection), 1500);
  StudyPurge purge(connection.get());
  while (purge.pending()) ASSERT_TRUE(purge.Continue().ok());
  EXPECT_EQ(Trials(*connection), 0);
}

TEST_F(StudyPurgeTest, AStorePurgesWhileItIsIdle) {
  MakeFile(2500);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(DeleteStudy(**store, "s").ok());
  const auto connection = Connect();
  while (Count(*connection, "SELECT count(*) FROM study_purges") > 0) std::this_thread::yield();
  EXPECT_EQ(Trials(*connection), 0);
}

TEST_F(StudyPurgeTest, AStoreFinishesThePurgeOfAnEarlierOne) {
  MakeFile(2500);
  RunSql(
      "INSERT INTO study_purges VALUES(1, 1, 2500); DELETE FROM studies;"
      " DELETE FROM study_heads");
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  const auto connection = Connect();
  while (Count(*connection, "SELECT count(*) FROM study_purges") > 0) std::this_thread::yield();
  EXPECT_EQ(Trials(*connection), 0);
}

}  // namespace
}  // namespace slipstream
