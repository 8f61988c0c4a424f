#include "server/store/sqlite/study_purge.h"

#include <thread>
#include <utility>

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

TEST_F(StudyPurgeTest, LargeTrialsAreErasedInSmallerSteps) {
  MakeFile(60);
  const auto connection = Connect();
  ASSERT_TRUE(connection
                  ->Execute("UPDATE trials SET note = hex(zeroblob(500000)) WHERE id % 256 <= 20;"
                            "INSERT OR REPLACE INTO provenances SELECT id, zeroblob(1000000)"
                            " FROM trials WHERE id % 256 BETWEEN 21 AND 40")
                  .ok());
  StudyPurge purge(connection.get());
  ASSERT_TRUE(purge.Add(1, 60).ok());
  // Eight million bytes and the next trial, each time.
  for (const int64_t left : {52, 44, 36, 28, 20, 0}) {
    ASSERT_TRUE(purge.Continue().ok());
    EXPECT_EQ(Trials(*connection), left);
  }
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

TEST_F(StudyPurgeTest, TrialsOfABegunStudyAreErasedOnceItIsGivenUp) {
  MakeFile(10);
  const auto connection = Connect();
  sqlite::LeaseHorizon horizon;
  sqlite::SqliteTransaction rows(connection.get(), /*retention_ms=*/1, &horizon);
  const int64_t key = *rows.BeginStudy(3);
  TrialRecord trial;
  while (trial.number++ < 3) ASSERT_TRUE(rows.InsertTrial(key, trial, "why").ok());
  ASSERT_TRUE(rows.Purge().ok());
  EXPECT_FALSE(rows.purge_pending());
  EXPECT_EQ(Trials(*connection), 13);
  // In a transaction that is rolled back, it is not given up.
  ASSERT_TRUE(rows.Begin().ok());
  ASSERT_TRUE(rows.GiveUpStudy(key).ok());
  ASSERT_TRUE(rows.RollBack().ok());
  while (rows.purge_pending()) ASSERT_TRUE(rows.Purge().ok());
  EXPECT_EQ(Trials(*connection), 13);
  ASSERT_TRUE(rows.Begin().ok());
  ASSERT_TRUE(rows.GiveUpStudy(key).ok());
  ASSERT_TRUE(rows.Commit().ok());
  while (rows.purge_pending()) ASSERT_TRUE(rows.Purge().ok());
  EXPECT_EQ(Trials(*connection), 10);
  EXPECT_EQ(Count(*connection, "SELECT count(*) FROM study_purges"), 0);
}

TEST_F(StudyPurgeTest, AStudyThatIsInsertedKeepsItsTrialsUntilItIsDeleted) {
  MakeFile(10);
  const auto connection = Connect();
  sqlite::LeaseHorizon horizon;
  sqlite::SqliteTransaction rows(connection.get(), /*retention_ms=*/1, &horizon);
  StudyRecord study;
  study.id = "begun";
  study.key = *rows.BeginStudy(1);
  TrialRecord trial;
  trial.number = 1;
  ASSERT_TRUE(rows.InsertTrial(study.key, trial, "why").ok());
  ASSERT_TRUE(rows.InsertStudy(study, "", {}).ok());
  StudyHead head = **rows.FindStudyHead(study.key);
  head.trial_count = 1;
  ASSERT_TRUE(rows.UpdateCounts(head).ok());
  const auto purge = [&] {
    do {
      ASSERT_TRUE(rows.Purge().ok());
    } while (rows.purge_pending());
  };
  purge();
  EXPECT_EQ(Trials(*connection), 11);
  ASSERT_TRUE(rows.Begin().ok());
  ASSERT_TRUE(rows.DeleteStudy(study.key).ok());
  ASSERT_TRUE(rows.Commit().ok());
  purge();
  EXPECT_EQ(Trials(*connection), 10);
}

// What is left of an import when the store is closed.
TEST_F(StudyPurgeTest, AStoreErasesAStudyThatAnEarlierOneHasBegun) {
  MakeFile(10);
  {
    const auto connection = Connect();
    sqlite::LeaseHorizon horizon;
    sqlite::SqliteTransaction rows(connection.get(), /*retention_ms=*/1, &horizon);
    TrialRecord trial;
    trial.number = 1;
    ASSERT_TRUE(rows.InsertTrial(*rows.BeginStudy(3), trial, "why").ok());
  }
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  const auto connection = Connect();
  while (Count(*connection, "SELECT count(*) FROM study_purges") > 0) std::this_thread::yield();
  EXPECT_EQ(Trials(*connection), 10);
}

TEST_F(StudyPurgeTest, AnImportThatTheEndOfAStoreCutsShortLeavesNothing) {
  MakeFile(10);
  ImportedStudy imported;
  imported.study = StudyNamed("imported");
  for (int64_t number = 1; number <= 20'000; ++number) {
    imported.trials.emplace_back().record.number = number;
    imported.trials.back().record.state = TrialState::kFailed;
  }
  absl::Status end;
  Write<StudyRecord> write;
  write.done = [&end](absl::Status status, const auto&) { end = std::move(status); };
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  (*store)->ImportStudy(std::move(imported), std::move(write));
  store->reset();
  // It may have been fast enough.
  if (!end.ok()) {
    EXPECT_THAT(end, IsRefused(absl::StatusCode::kUnavailable, "closing"));
  }
  store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->GetStudy("imported").ok(), end.ok());
  const auto connection = Connect();
  while (Count(*connection, "SELECT count(*) FROM study_purges") > 0) std::this_thread::yield();
  EXPECT_EQ(Trials(*connection), end.ok() ? 20'010 : 10);
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
