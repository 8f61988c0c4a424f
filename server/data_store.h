// The store in the server's data folder: the one place that names its backend.
#ifndef SLIPSTREAM_SERVER_DATA_STORE_H_
#define SLIPSTREAM_SERVER_DATA_STORE_H_

#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/store.h"
#include "server/store/store_options.h"

namespace slipstream {

// The store's file: slipstream.db in folder `data`, or `data` itself if its name ends in ".db"
// and it is no folder.
std::string DataStoreName(const std::string& data);

// Whether the path names the store's file, or one that is kept beside it.
bool IsFileOfDataStore(const std::string& data, const std::string& path);

// Whether two paths name the same file, which need not exist.
bool IsSameFile(const std::string& one, const std::string& other);

// `holder` is shown to another process that tries to open the store. The folder
// must exist; `create` makes a new store if it has none. Status codes are those of
// OpenSqliteStore.
absl::StatusOr<std::unique_ptr<Store>> OpenDataStore(const std::string& data,
                                                     const std::string& holder, bool create,
                                                     const StoreOptions& options);

// Checks all of the store for damage, and copies it to a new file. It may be in
// use. Status codes are those of CheckSqliteFile and BackUpSqliteFile.
absl::Status CheckDataStore(const std::string& data);
absl::Status BackUpDataStore(const std::string& data, const std::string& destination,
                             const std::stop_token& stop = {});

// Puts a backup in place as the store of folder `data`, which must exist. Status codes are
// those of RestoreSqliteFile.
absl::Status RestoreDataStore(const std::string& data, const std::string& backup);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_DATA_STORE_H_
