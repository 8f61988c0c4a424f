#include "server/store/sqlite/sqlite_store.h"

#include "core/base/status.h"
#include "server/store/rule_store.h"
#include "server/store/sqlite/sqlite_database.h"

namespace slipstream {

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const SqliteStoreOptions& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                              sqlite::OpenSqliteDatabase(options));
  return MakeStore(std::move(database), options);
}

}  // namespace slipstream
