// The contracts of the store and of its rows, on SQLite.
#include "server/store/sqlite/sqlite_database.h"
#include "tests/server/store/row_contract.h"

namespace slipstream {
namespace {

const Backend kSqlite = {"Sqlite", [](const std::string& folder, const StoreOptions& options) {
                           SqliteStoreOptions sqlite_options(options);
                           sqlite_options.path = folder + "/store.db";
                           sqlite_options.create = true;
                           return sqlite::OpenSqliteDatabase(sqlite_options);
                         }};

INSTANTIATE_TEST_SUITE_P(OnSqlite, StoreContract, testing::Values(kSqlite), BackendName);
INSTANTIATE_TEST_SUITE_P(OnSqlite, RowContract, testing::Values(kSqlite), BackendName);

}  // namespace
}  // namespace slipstream
