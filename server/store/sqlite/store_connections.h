// The connections of an open store.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STORE_CONNECTIONS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STORE_CONNECTIONS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/sqlite_store.h"

namespace slipstream::sqlite {

// Creates the file if it is absent, for its owner alone, and migrates it to the
// newest schema.
// PERMISSION_DENIED if it cannot be written.
absl::StatusOr<std::unique_ptr<Connection>> OpenWriter(const SqliteStoreOptions& options);
// The file must exist. The connection cannot write.
absl::StatusOr<std::unique_ptr<Connection>> OpenReader(const SqliteStoreOptions& options);
// The file must exist. The connection is for checkpoints only.
absl::StatusOr<std::unique_ptr<Connection>> OpenCheckpointConnection(
    const SqliteStoreOptions& options);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STORE_CONNECTIONS_H_
