// The store in the server's data folder: the one place that names its backend.
#ifndef SLIPSTREAM_SERVER_DATA_STORE_H_
#define SLIPSTREAM_SERVER_DATA_STORE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/store.h"
#include "server/store/store_options.h"

namespace slipstream {

// What the store in folder `data` is called in messages.
std::string DataStoreName(const std::string& data);

// `holder` is shown to another process that tries to open the store. The folder
// must exist. Status codes are those of OpenSqliteStore.
absl::StatusOr<std::unique_ptr<Store>> OpenDataStore(const std::string& data,
                                                     const std::string& holder,
                                                     const StoreOptions& options);

// Checks all of the store for damage, and copies it to a new file. It may be in
// use. Status codes are those of CheckSqliteFile and BackUpSqliteFile.
absl::Status CheckDataStore(const std::string& data);
absl::Status BackUpDataStore(const std::string& data, const std::string& destination);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_DATA_STORE_H_
