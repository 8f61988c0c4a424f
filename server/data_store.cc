#include "server/data_store.h"

#include "absl/strings/str_cat.h"
#include "server/store/sqlite/sqlite_store.h"

namespace slipstream {

std::string DataStoreName(const std::string& data) { return absl::StrCat(data, "/slipstream.db"); }

absl::StatusOr<std::unique_ptr<Store>> OpenDataStore(const std::string& data,
                                                     const std::string& holder,
                                                     const StoreOptions& options) {
  SqliteStoreOptions sqlite_options(options);
  sqlite_options.path = DataStoreName(data);
  sqlite_options.holder = holder;
  return OpenSqliteStore(sqlite_options);
}

absl::Status CheckDataStore(const std::string& data) {
  return CheckSqliteFile(DataStoreName(data));
}

absl::Status BackUpDataStore(const std::string& data, const std::string& destination) {
  return BackUpSqliteFile(DataStoreName(data), destination);
}

}  // namespace slipstream
