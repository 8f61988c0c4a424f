#include "tests/server/store/trial_histories.h"

#include <gtest/gtest.h>

#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kHistories = 200;  // Each takes some ten times as long.
#else
constexpr int kHistories = 2000;
#endif

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
}

}  // namespace
}  // namespace slipstream
