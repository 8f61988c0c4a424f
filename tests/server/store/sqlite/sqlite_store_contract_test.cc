// The store's contract, on SQLite.
#include "server/store/sqlite/sqlite_store.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

absl::StatusOr<std::unique_ptr<Store>> OpenIn(const std::string& folder,
                                              const ContractLimits& limits,
                                              std::function<int64_t()> now_ms,
                                              bool answer_on_writing_thread) {
  SqliteStoreOptions options;
  options.path = folder + "/store.db";
  options.holder = "the contract";
  options.now_ms = std::move(now_ms);
  options.retention = limits.retention;
  options.max_trials_per_study = limits.max_trials_per_study;
  options.answer_on_writing_thread = answer_on_writing_thread;
  return OpenSqliteStore(std::move(options));
}

StoreBackend Sqlite(const std::string& name, bool answer_on_writing_thread) {
  return {name, [=](const std::string& folder, const ContractLimits& limits,
                    std::function<int64_t()> now_ms) {
            return OpenIn(folder, limits, std::move(now_ms), answer_on_writing_thread);
          }};
}

INSTANTIATE_TEST_SUITE_P(OnSqlite, StoreContract,
                         testing::Values(Sqlite("AnsweringOnItsOwnThread", false),
                                         Sqlite("AnsweringOnTheWritingThread", true)),
                         BackendName);

}  // namespace
}  // namespace slipstream
