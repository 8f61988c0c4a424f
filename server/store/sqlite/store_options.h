// Checks of the options before anything is opened.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STORE_OPTIONS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STORE_OPTIONS_H_

#include "absl/status/status.h"
#include "server/store/sqlite/sqlite_store.h"

namespace slipstream::sqlite {

// INVALID_ARGUMENT naming the first option that is out of its bounds.
absl::Status CheckOptions(const SqliteStoreOptions& options);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STORE_OPTIONS_H_
