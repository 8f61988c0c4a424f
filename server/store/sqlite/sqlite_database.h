// The store's database in one SQLite file.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_DATABASE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_DATABASE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/store/database.h"
#include "server/store/sqlite/sqlite_store.h"

namespace slipstream::sqlite {

// Status codes are those of OpenSqliteStore. After a disk failure in a
// transaction its outcome is unknown: it ends with UNAVAILABLE, as do all
// that follow.
absl::StatusOr<std::unique_ptr<Database>> OpenSqliteDatabase(SqliteStoreOptions options);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_DATABASE_H_
