#include "server/store/sqlite/report_purge.h"

#include <thread>

#include "server/store/sqlite/sqlite_transaction.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using sqlite::Query;
using testing::ElementsAre;
using testing::IsEmpty;

// Trials 11 to 15 of the study "s" are worker w's, each with 10,000 reports.
class ReportPurgeTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    {
      const auto store = Open();
      ASSERT_TRUE(store.ok()) << store.status();
      ASSERT_TRUE(LeaseFresh(**store, *(*store)->GetStudy("s"), "w", 5).ok());
      study_key_ = (*store)->GetStudy("s")->key;
    }
    RunSql(
        "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers"
        " WHERE n < 9999) INSERT INTO reports SELECT id, n, n / 10.0 FROM trials"
        " CROSS JOIN numbers WHERE state = 2;"
        "UPDATE trials SET report_count = 10000, last_step = 9999 WHERE state = 2;"
        "UPDATE study_heads SET bytes = bytes + 5 * 10000 * 24");
    Connect();
  }
  void Connect() {
    auto opened = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE(opened.ok()) << opened.status();
    connection_ = *std::move(opened);
  }
  int64_t Reports() {
    Query query(*connection_, "SELECT count(*) FROM reports");
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }
  std::vector<int64_t> Queued() { return *ReadQueuedTrials(*connection_, study_key_, 9); }
  std::vector<ReportRecord> Shown() {
    return *sqlite::SqliteSnapshot(connection_.get(), 0, 1).ListReports(study_key_, 0, 99, 99'999);
  }
  // Gives back all five in one transaction.
  void Release(sqlite::SqliteTransaction& rows) {
    ASSERT_TRUE(rows.Begin().ok());
    for (int64_t number = 11; number <= 15; ++number) {
      TrialRecord trial = **rows.FindTrial(study_key_, number);
      trial.state = TrialState::kRequested;
      trial.worker.clear();
      ASSERT_TRUE(rows.UpdateLease(study_key_, trial).ok());
      ASSERT_TRUE(rows.DeleteReports(study_key_, number).ok());
    }
    ASSERT_TRUE(rows.Commit().ok());
  }
  void Purge(sqlite::SqliteTransaction& rows) {
    ASSERT_TRUE(rows.Begin().ok());
    ASSERT_TRUE(rows.Purge().ok());
    ASSERT_TRUE(rows.Commit().ok());
  }

  int64_t study_key_ = 0;
  std::unique_ptr<Connection> connection_;
  sqlite::LeaseHorizon horizon_;
};

TEST_F(ReportPurgeTest, ManyReportsAreErasedInStepsAndTheirTrialsAreQueuedThen) {
  sqlite::SqliteTransaction rows(connection_.get(), /*retention_ms=*/1, &horizon_);
  Release(rows);
  EXPECT_EQ(Reports(), 30'000);
  EXPECT_THAT(Queued(), ElementsAre(11));
  EXPECT_THAT(Shown(), IsEmpty());
  EXPECT_EQ((*rows.FindTrial(study_key_, 15))->worker, "");
  Purge(rows);
  EXPECT_EQ(Reports(), 10'000);
  Purge(rows);
  EXPECT_EQ(Reports(), 0);
  EXPECT_THAT(Queued(), ElementsAre(11, 12, 13, 14, 15));
  while (rows.purge_pending()) Purge(rows);
}

// As a plan from before it was given back may ask for.
TEST_F(ReportPurgeTest, ATrialThatIsLeasedBeforeThatHasNoneOfTheReports) {
  sqlite::SqliteTransaction rows(connection_.get(), /*retention_ms=*/1, &horizon_);
  Release(rows);
  ASSERT_TRUE(rows.Begin().ok());
  TrialRecord trial = **rows.FindTrial(study_key_, 15);
  trial.state = TrialState::kActive;
  trial.worker = "v";
  ASSERT_TRUE(rows.UpdateLease(study_key_, trial).ok());
  EXPECT_TRUE(*rows.PutReport(study_key_, 15, {3, 0.5}));
  // That it is leased again changes nothing.
  ASSERT_TRUE(rows.UpdateLease(study_key_, trial).ok());
  ASSERT_TRUE(rows.Commit().ok());
  while (rows.purge_pending()) Purge(rows);
  EXPECT_EQ(Shown().size(), 1u);
  EXPECT_EQ(Reports(), 1);
  EXPECT_THAT(Queued(), ElementsAre(11, 12, 13, 14));
}

TEST_F(ReportPurgeTest, ATrialThatIsWithdrawnBeforeThatHasNoWorker) {
  sqlite::SqliteTransaction rows(connection_.get(), /*retention_ms=*/1, &horizon_);
  Release(rows);
  ASSERT_TRUE(rows.Begin().ok());
  TrialRecord trial = **rows.FindTrial(study_key_, 15);
  trial.state = TrialState::kWithdrawn;
  ASSERT_TRUE(rows.UpdateOutcome(study_key_, trial).ok());
  ASSERT_TRUE(rows.Commit().ok());
  Query query(*connection_, "SELECT worker FROM trials WHERE state = ?");
  ASSERT_TRUE(query.BindInteger(static_cast<int64_t>(TrialState::kWithdrawn)).Run().ok());
  EXPECT_EQ(query.Bytes(0), "");
}

TEST_F(ReportPurgeTest, AStoreErasesThemWhileItIsIdleAndAfterItWasOpenedAgain) {
  connection_.reset();
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  const auto released = ReleaseTrials(**store, {"s", "w", {}});
  ASSERT_TRUE(released.ok()) << released.status;
  ASSERT_EQ(released->size(), 5u);
  EXPECT_EQ(released->back().state, TrialState::kRequested);
  EXPECT_THAT(*(*store)->ListReports("s", 0, 99, 9), IsEmpty());
  store->reset();
  store = Open();
  const auto queued = [&] { return (*store)->PlanLeases(study_key_, "s", {}, 9)->queued; };
  while (queued().size() < 5) std::this_thread::yield();
  EXPECT_THAT(queued(), ElementsAre(11, 12, 13, 14, 15));
  store->reset();
  Connect();
  EXPECT_EQ(Reports(), 0);
}

}  // namespace
}  // namespace slipstream
