#include "server/store/sqlite/source_purge.h"

#include <thread>
#include <utility>

#include "server/store/sqlite/sqlite_transaction.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using sqlite::Query;
using sqlite::SourcePurge;

class SourcePurgeTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    Connect();
  }
  void Connect() {
    auto connection = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE(connection.ok()) << connection.status();
    connection_ = *std::move(connection);
  }
  int64_t Count(const char* sql) {
    Query query(*connection_, sql);
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }
  int64_t Chunks() { return Count("SELECT count(*) FROM source_chunks"); }
  int64_t Purges() { return Count("SELECT count(*) FROM source_purges"); }
  // Returns when a store that is open has erased all.
  void WaitForPurge() {
    while (Purges() > 0) std::this_thread::yield();
  }

  static NewSourceTask LargeTask() {
    NewSourceTask task = SourceTaskNamed("t");
    task.chunks.assign(5, std::string(3'000'000, 'x'));
    return task;
  }

  std::unique_ptr<Connection> connection_;
};

TEST_F(SourcePurgeTest, ChunksOfTheSourceTaskAndNoOthersAreErasedInSteps) {
  ASSERT_TRUE(connection_
                  ->Execute("WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM"
                            " numbers WHERE n < 6) INSERT INTO source_chunks SELECT 1, n,"
                            " zeroblob(CASE n WHEN 6 THEN 9000000 ELSE 3000000 END) FROM numbers;"
                            "INSERT INTO source_chunks VALUES(2, 0, x'01')")
                  .ok());
  SourcePurge purge(connection_.get());
  ASSERT_TRUE(purge.Add(1, 7).ok());
  for (const int64_t left : {6, 4, 2, 1}) {
    ASSERT_TRUE(purge.Continue().ok());
    EXPECT_EQ(Chunks(), left);
  }
  EXPECT_EQ(Purges(), 0);
  EXPECT_FALSE(*purge.Continue());
  EXPECT_FALSE(purge.pending());
}

TEST_F(SourcePurgeTest, AStoreErasesAtOnceWhatIsDeleted) {
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(RegisterSourceTask(**store, LargeTask()).ok());
  EXPECT_EQ(Chunks(), 5);
  ASSERT_TRUE(DeleteSourceTask(**store, "t").ok());
  WaitForPurge();
  EXPECT_EQ(Chunks(), 0);
}

// What is left of a registration when the store is closed.
TEST_F(SourcePurgeTest, AStoreErasesASourceTaskThatAnEarlierOneHasBegun) {
  sqlite::LeaseHorizon horizon;
  {
    sqlite::SqliteTransaction rows(connection_.get(), /*retention_ms=*/1, &horizon);
    ASSERT_TRUE(rows.InsertSourceChunks(*rows.BeginSourceTask(2), 0, {"chunk"}).ok());
    EXPECT_EQ(Chunks(), 1);
  }
  connection_.reset();
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  Connect();
  WaitForPurge();
  EXPECT_EQ(Chunks(), 0);
}

TEST_F(SourcePurgeTest, ARegistrationThatTheEndOfAStoreCutsShortLeavesNothing) {
  absl::Status end;
  Write<RegisteredSourceTask> write;
  write.done = [&end](absl::Status status, const auto&) { end = std::move(status); };
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  (*store)->RegisterSourceTask(LargeTask(), std::move(write));
  store->reset();
  // It may have been fast enough.
  if (!end.ok()) {
    EXPECT_THAT(end, IsRefused(absl::StatusCode::kUnavailable, "closing"));
  }
  store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->GetSourceTask("t").ok(), end.ok());
  WaitForPurge();
  EXPECT_EQ(Chunks(), end.ok() ? 5 : 0);
}

}  // namespace
}  // namespace slipstream
