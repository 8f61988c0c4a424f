#include "server/store/sqlite/schema.h"

#include <string>
#include <vector>

#include "tests/server/store/recount.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using sqlite::MigrateSchema;
using sqlite::Query;
using sqlite::SchemaSteps;

class SchemaTest : public SqliteStoreTest {
 protected:
  // The present steps and one that a later program might have.
  static std::vector<const char*> LaterSteps(const char* step) {
    std::vector<const char*> steps(SchemaSteps().begin(), SchemaSteps().end());
    steps.push_back(step);
    return steps;
  }

  absl::Status Migrate(const std::vector<const char*>& steps) {
    const auto connection = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    return connection.ok() ? MigrateSchema(**connection, steps) : connection.status();
  }

  int64_t Number(const char* sql) {
    const auto connection = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    Query query(**connection, sql);
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }
};

class PaddingTest : public SchemaTest {
 protected:
  static constexpr int kTrials = 400;

  // Makes a study whose trials are all leased.
  void MakeOpenTrials() {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    const auto study = CreateStudy(**store, StudyNamed("s"));
    ASSERT_TRUE(study.ok());
    ASSERT_TRUE(LeaseFresh(**store, *study, "worker", kTrials).ok());
  }

  // Observes all trials; returns by how many pages their table has grown.
  int64_t ObserveAll() {
    const int64_t before = Number("SELECT count(*) FROM dbstat WHERE name = 'trials'");
    {
      const auto store = Open();
      EXPECT_TRUE(store.ok()) << store.status();
      const std::string measurement(20, 'm');
      for (int number = 1; number <= kTrials; ++number) {
        const auto observed = ObserveTrial(**store, {"s", number, Success(number, measurement)});
        EXPECT_EQ(observed->measurement, measurement);
      }
      const auto read = (*store)->GetTrial("s", kTrials);
      EXPECT_TRUE(read.ok() && read->state == TrialState::kSucceeded);
    }
    return Number("SELECT count(*) FROM dbstat WHERE name = 'trials'") - before;
  }
};

TEST_F(PaddingTest, ObservationsSplitNoPages) {
  MakeOpenTrials();
  EXPECT_EQ(ObserveAll(), 0);
  EXPECT_EQ(Number("SELECT sum(length(room)) FROM trials"), 0);
}

// Takes a file of today back to version 2, before there were leases and reports.
constexpr char kWithoutLeases[] = R"sql(
DROP TABLE source_purges;
DROP INDEX studies_of_projects;
DROP INDEX source_tasks_of_projects;
ALTER TABLE study_heads DROP COLUMN late_count;
ALTER TABLE study_heads DROP COLUMN lease_ms;
ALTER TABLE study_heads DROP COLUMN max_requeues;
ALTER TABLE trials DROP COLUMN lease_end;
ALTER TABLE trials DROP COLUMN requeue_of;
ALTER TABLE trials DROP COLUMN requeued_as;
ALTER TABLE trials DROP COLUMN requeues;
ALTER TABLE trials DROP COLUMN host;
ALTER TABLE trials DROP COLUMN process;
ALTER TABLE trials DROP COLUMN report_count;
ALTER TABLE trials DROP COLUMN last_step;
ALTER TABLE trials DROP COLUMN last_value;
ALTER TABLE trials DROP COLUMN labels;
ALTER TABLE trials DROP COLUMN note;
DROP TABLE lease_clock;
DROP TABLE reports;
ALTER TABLE study_heads DROP COLUMN best;
DROP TABLE event_blocks;
ALTER TABLE study_heads DROP COLUMN bytes;
ALTER TABLE source_tasks DROP COLUMN bytes;
PRAGMA user_version = 2;
)sql";

TEST_F(PaddingTest, LeasesOfAnOlderFileNeverEnd) {
  MakeOpenTrials();
  RunSql(kWithoutLeases);
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  Store* const store = opened->get();
  EXPECT_EQ(store->GetStudy("s")->lease, LeasePolicy());
  const auto trial = store->GetTrial("s", 1);
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->state, TrialState::kActive);
  EXPECT_FALSE(trial->lease_end_ms.has_value());
  EXPECT_EQ(trial->labels, "");
  EXPECT_FALSE(*store->LeasesNeedSweep());
  EXPECT_TRUE(ReportSteps(*store, {"s", 1, {{1, 0.5}}}).ok());
  EXPECT_FALSE(store->GetTrial("s", 1)->lease_end_ms.has_value());
}

TEST_F(PaddingTest, OpenTrialsOfAnOlderFileHaveNoPaddingAndCanBeObserved) {
  MakeOpenTrials();
  RunSql(kWithoutLeases);
  RunSql("ALTER TABLE trials DROP COLUMN room; VACUUM; PRAGMA user_version = 1");
  EXPECT_GT(ObserveAll(), 0);
  EXPECT_EQ(Number("PRAGMA user_version"), static_cast<int64_t>(SchemaSteps().size()));
}

// Takes a file of today back to version 5, which did not count bytes.
constexpr char kWithoutBytes[] = R"sql(
DROP TABLE source_purges;
DROP INDEX studies_of_projects;
DROP INDEX source_tasks_of_projects;
ALTER TABLE study_heads DROP COLUMN bytes;
ALTER TABLE source_tasks DROP COLUMN bytes;
PRAGMA user_version = 5;
)sql";

TEST_F(SchemaTest, WhatAnOlderFileHoldsIsCountedAsIfItHadBeenFromTheBeginning) {
  UsageByProject before;
  {
    const auto store = Open();
    NewStudy large = StudyNamed("vision/large");
    large.candidates = std::string(50000, 'c');
    const auto study = CreateStudy(**store, large);
    ASSERT_TRUE(LeaseFresh(**store, *study, "w", 5).ok());
    ASSERT_TRUE(ReportSteps(**store, {"vision/large", 1, {{1, 0.5}, {2, 0.5}}}).ok());
    const TrialOutcome failed = Ending(TrialState::kFailed, "größer als ∞");
    ASSERT_TRUE(ObserveTrial(**store, {"vision/large", 2, failed}).ok());
    ASSERT_TRUE(UpdateTrial(**store, "vision/large", 3, {"labels", "nützlich"}).ok());
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("empty")).ok());
    ASSERT_TRUE(RegisterSourceTask(**store, SourceTaskNamed("t")).ok());
    before = (*store)->ListUsage().value();
  }
  RunSql(kWithoutBytes);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(*(*store)->ListUsage(), before);
  EXPECT_EQ(before.at("vision").trials, 5);
}

constexpr char kAddColumn[] = "ALTER TABLE studies ADD COLUMN owner TEXT DEFAULT 'nobody'";

TEST_F(SchemaTest, AnOlderFileIsMigratedToTheNewestSchema) {
  MakeFile();
  EXPECT_TRUE(Migrate(LaterSteps(kAddColumn)).ok());
  EXPECT_EQ(Number("SELECT count(*) FROM studies WHERE owner = 'nobody' AND id = 's'"), 1);
  EXPECT_EQ(Number("PRAGMA user_version"), static_cast<int64_t>(SchemaSteps().size()) + 1);
  // Once, not each time.
  EXPECT_TRUE(Migrate(LaterSteps(kAddColumn)).ok());
}

TEST_F(SchemaTest, AStepThatFailsLeavesTheFileAtTheStepBefore) {
  MakeFile();
  const auto failed = Migrate(LaterSteps("DELETE FROM studies; SELECT missing FROM studies"));
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(Number("SELECT count(*) FROM studies"), 1);
  EXPECT_EQ(Number("PRAGMA user_version"), static_cast<int64_t>(SchemaSteps().size()));
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
}

TEST_F(SchemaTest, ANewerFileIsRefusedAndLeftAsItIs) {
  MakeFile();
  ASSERT_TRUE(Migrate(LaterSteps(kAddColumn)).ok());
  const auto before = Files();
  const int64_t known = static_cast<int64_t>(SchemaSteps().size());
  EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition,
                                      "schema version " + std::to_string(known + 1)));
  EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition,
                                      "versions up to " + std::to_string(known)));
  EXPECT_EQ(Files(), before);
  EXPECT_THAT(BackUpSqliteFile(path(), path() + ".copy"),
              IsRefused(absl::StatusCode::kFailedPrecondition, "schema version"));
}

// A newer program that ended by kill -9 leaves its version in the log only.
TEST_F(SchemaTest, ANewerVersionInTheLogIsSeen) {
  MakeFile();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version = 77", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const auto before = Files();
  ASSERT_GT(before.at("store.db-wal").size(), 0u);
  EXPECT_THAT(OpenStatus(), IsRefused(absl::StatusCode::kFailedPrecondition, "schema version 77"));
  EXPECT_EQ(Files(), before);
}

}  // namespace
}  // namespace slipstream
