#include "tests/server/store/trial_histories.h"

#include <gtest/gtest.h>

#include "server/store/rule_store.h"
#include "tests/testing/conflicting_database.h"
#include "tests/testing/memory_store.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

constexpr int kHistories = kSanitized ? 200 : 2000;

TEST(TrialHistories, TheStoreDoesWhatTheReferenceMachineDoes) {
  const HistoryCounts counts = RunTrialHistories(kHistories, [] {
    return [tables = MakeMemoryTables()](const StoreOptions& options) {
      return MakeMemoryStore(options, tables);
    };
  });
  EXPECT_EQ(counts.histories, kHistories);
  // The histories reach what they are about.
  EXPECT_GT(counts.requeues, kHistories / 4);
  EXPECT_GT(counts.withdrawals, kHistories / 100);
  EXPECT_GT(counts.completed_give_backs, kHistories / 100);
  EXPECT_GT(counts.aborted, kHistories / 4);
  EXPECT_GT(counts.without_plan, kHistories);
}

TEST(TrialHistories, TheStoreDoesTheSameWhereTransactionsAreRunAgain) {
  const HistoryCounts counts = RunTrialHistories(kHistories / 10, [] {
    return [tables = MakeMemoryTables()](const StoreOptions& options) {
      return MakeStore(MakeConflictingDatabase(MakeMemoryDatabase(options, tables)), options);
    };
  });
  EXPECT_EQ(counts.histories, kHistories / 10);
}

}  // namespace
}  // namespace slipstream
