// A share of the random histories of trials, on SQLite.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/server/store/trial_histories.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

constexpr int kHistories = kSanitized ? 10 : 40;

using SqliteTrialHistories = SqliteStoreTest;

TEST_F(SqliteTrialHistories, TheStoreDoesWhatTheReferenceMachineDoes) {
  int files = 0;
  const HistoryCounts counts = RunTrialHistories(kHistories, [&] {
    const std::string path = absl::StrCat(folder(), "/history-", ++files, ".db");
    return [path](const StoreOptions& options) {
      SqliteStoreOptions sqlite_options(options);
      sqlite_options.path = path;
      sqlite_options.create = true;
      auto store = OpenSqliteStore(sqlite_options);
      EXPECT_TRUE(store.ok()) << store.status();
      return *std::move(store);
    };
  });
  EXPECT_EQ(counts.histories, kHistories);
  EXPECT_GT(counts.requeues, kHistories / 4);
  EXPECT_GT(counts.withdrawals, 0);
  EXPECT_GT(counts.aborted, kHistories / 4);
}

}  // namespace
}  // namespace slipstream
