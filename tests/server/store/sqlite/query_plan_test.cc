// The query plans of the hot paths: none may scan all trials.
#include <optional>
#include <string>
#include <vector>

#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/lease_horizon.h"
#include "server/store/sqlite/sqlite_transaction.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

class QueryPlanTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    auto opened = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE(opened.ok()) << opened.status();
    connection_ = *std::move(opened);
    rows_.emplace(connection_.get(), /*now_ms=*/0, /*retention_ms=*/1);
  }

  // The plan of every statement that has been prepared on the connection.
  std::vector<std::string> Plans() {
    std::vector<std::string> plans;
    sqlite3_stmt* statement = nullptr;
    while ((statement = sqlite3_next_stmt(connection_->database(), statement)) != nullptr) {
      plans.push_back(PlanOf(sqlite3_sql(statement)));
    }
    return plans;
  }

  std::string PlanOf(const std::string& sql) {
    std::string plan;
    sqlite3_exec(
        connection_->database(), ("EXPLAIN QUERY PLAN " + sql).c_str(),
        [](void* text, int, char** columns, char**) {
          *static_cast<std::string*>(text) += std::string(columns[3]) + "\n";
          return 0;
        },
        &plan, nullptr);
    return plan;
  }

  std::unique_ptr<Connection> connection_;
  std::optional<sqlite::SqliteSnapshot> rows_;
};

TEST_F(QueryPlanTest, OpenTrialsAreFoundByTheirIndexAlone) {
  ASSERT_TRUE(rows_->ListActiveTrials(1, "w").ok());
  ASSERT_TRUE(rows_->ListQueuedTrials(1, 5).ok());
  ASSERT_EQ(Plans().size(), 2u);
  EXPECT_THAT(Plans(), Each(HasSubstr("COVERING INDEX open_trials "
                                      "(state=? AND worker=? AND rowid>? AND rowid<?)")));
  EXPECT_THAT(Plans(), Each(Not(HasSubstr("TEMP B-TREE"))));
}

TEST_F(QueryPlanTest, AListOfOpenTrialsReadsOpenTrialsOnly) {
  TrialFilter filter;
  filter.states = {TrialState::kActive, TrialState::kRequested};
  ASSERT_TRUE(rows_->ListTrials(1, filter).ok());
  EXPECT_THAT(Plans(), Each(HasSubstr("SEARCH trials USING INDEX open_trials")));
}

TEST_F(QueryPlanTest, TrialsOfAStudyAreOneRangeOfRows) {
  ASSERT_TRUE(rows_->ListTrials(1, {}).ok());
  ASSERT_TRUE(rows_->FindTrial(1, 1).ok());
  ASSERT_TRUE(rows_->ListProvenances(1, 0, 9).ok());
  ASSERT_TRUE(rows_->ListBestTrials(1, true, 5).ok());
  EXPECT_THAT(Plans(), Each(HasSubstr("USING INTEGER PRIMARY KEY")));
  EXPECT_THAT(Plans(), Each(Not(HasSubstr("SCAN trials"))));
  EXPECT_THAT(Plans(), Each(Not(HasSubstr("SCAN provenances"))));
}

TEST_F(QueryPlanTest, APurgeErasesOneRangeOfRows) {
  sqlite::StudyPurge purge(connection_.get());
  ASSERT_TRUE(purge.Add(1, 10).ok());
  ASSERT_TRUE(purge.Continue().ok());
  for (const char* table : {"trials", "provenances"}) {
    const std::string search = std::string("SEARCH ") + table + " USING INTEGER PRIMARY KEY";
    EXPECT_THAT(Plans(), Contains(HasSubstr(search)));
    EXPECT_THAT(Plans(), Each(Not(HasSubstr(std::string("SCAN ") + table))));
  }
}

TEST_F(QueryPlanTest, ASweepReadsNoTrialsWhereNoLeaseCanHaveEnded) {
  sqlite::LeaseHorizon horizon;
  horizon.BeginScan();
  horizon.EndScan(/*earliest=*/500);
  sqlite::SqliteTransaction changes(connection_.get(), /*retention_ms=*/1, &horizon);
  ASSERT_TRUE(changes.Begin().ok());
  EXPECT_TRUE(changes.ListEndedLeases(499, 9)->empty());
  EXPECT_THAT(Plans(), Each(Not(HasSubstr("open_trials"))));
  EXPECT_TRUE(changes.ListEndedLeases(500, 9)->empty());
  EXPECT_THAT(Plans(), Contains(HasSubstr("open_trials")));
  ASSERT_TRUE(changes.RollBack().ok());
}

TEST_F(QueryPlanTest, ALeaseThatTheSameTransactionGrantsIsFound) {
  sqlite::LeaseHorizon horizon;
  horizon.BeginScan();
  horizon.EndScan(std::nullopt);
  sqlite::SqliteTransaction changes(connection_.get(), /*retention_ms=*/1, &horizon);
  ASSERT_TRUE(changes.Begin().ok());
  TrialRecord trial;
  trial.number = 11;
  trial.state = TrialState::kActive;
  trial.worker = "w";
  trial.lease_end = 300;
  ASSERT_TRUE(changes.InsertTrial(1, trial, /*provenance=*/"").ok());
  EXPECT_TRUE(changes.ListEndedLeases(299, 9)->empty());
  EXPECT_EQ(changes.ListEndedLeases(300, 9)->size(), 1u);
  ASSERT_TRUE(changes.RollBack().ok());
}

TEST_F(QueryPlanTest, WhatProjectsTakeIsCountedWithoutTheDefinitionsOfStudies) {
  ASSERT_TRUE(rows_->ListUsage().ok());
  EXPECT_THAT(Plans(), Contains(HasSubstr("SCAN studies USING COVERING INDEX")));
  EXPECT_THAT(Plans(), Contains(HasSubstr("SEARCH study_heads USING INTEGER PRIMARY KEY")));
}

TEST_F(QueryPlanTest, AListOfAProjectReadsTheRowsOfOnePageAlone) {
  for (const char* project : {"vision", "default"}) {
    const ListFilter filter = {.project = project};
    ASSERT_TRUE(rows_->ListStudies(filter).ok());
    ASSERT_TRUE(rows_->ListSourceTasks(filter).ok());
  }
  ASSERT_EQ(Plans().size(), 2u);
  EXPECT_THAT(Plans(), Contains(HasSubstr("SEARCH studies USING INDEX studies_of_projects"
                                          " (<expr>=? AND rowid>?)")));
  EXPECT_THAT(Plans(), Contains(HasSubstr("SEARCH source_tasks USING INDEX"
                                          " source_tasks_of_projects (<expr>=? AND rowid>?)")));
  EXPECT_THAT(Plans(), Each(Not(HasSubstr("TEMP B-TREE FOR ORDER BY"))));
}

// A trial that has ended is in no index, so that ending one costs little.
TEST_F(QueryPlanTest, EndedTrialsAreInNoIndex) {
  sqlite::Query query(*connection_,
                      "SELECT count(*) FROM trials INDEXED BY open_trials"
                      " WHERE state = 1 OR state = 2");
  ASSERT_TRUE(query.Run().ok());
  EXPECT_EQ(query.Integer(0), 0);
  EXPECT_EQ(rows_->ListTrials(1, {})->size(), 10u);
}

}  // namespace
}  // namespace slipstream
