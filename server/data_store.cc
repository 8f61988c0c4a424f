#include "server/data_store.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/convert/source_conversion.h"
#include "server/store/sqlite/sqlite_store.h"

namespace slipstream {

std::string DataStoreName(const std::string& data) {
  std::error_code error;  // What cannot be asked about is no folder.
  const bool is_file = absl::EndsWith(data, ".db") && !std::filesystem::is_directory(data, error);
  return is_file ? data : absl::StrCat(data, "/slipstream.db");
}

namespace {

// Paths that cannot be followed are compared as they are.
std::string Followed(const std::string& name) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(name, error);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(whole, error);
  return (error ? whole : canonical).string();
}

}  // namespace

bool IsSameFile(const std::string& one, const std::string& other) {
  std::error_code error;  // For hard links.
  return Followed(one) == Followed(other) || std::filesystem::equivalent(one, other, error);
}

bool IsFileOfDataStore(const std::string& data, const std::string& path) {
  const std::string file = Followed(DataStoreName(data));
  const std::string other = Followed(path);
  for (const char* const suffix : {"", "-wal", "-shm", "-journal", ".lock"}) {
    if (other == file + suffix) return true;
  }
  return false;
}

absl::StatusOr<std::unique_ptr<Store>> OpenDataStore(const std::string& data,
                                                     const std::string& holder, bool create,
                                                     const StoreOptions& options) {
  SqliteStoreOptions sqlite_options(options);
  sqlite_options.path = DataStoreName(data);
  sqlite_options.holder = holder;
  sqlite_options.create = create;
  absl::StatusOr<std::unique_ptr<Store>> store = OpenSqliteStore(sqlite_options);
  if (!absl::IsNotFound(store.status())) return store;
  return absl::NotFoundError(absl::StrCat(
      store.status().message(),
      "; --create makes a new one, and a store that has been lost can be restored from a backup"));
}

absl::Status CheckDataStore(const std::string& data) {
  return CheckSqliteFile(DataStoreName(data), CheckStoredSourceTask);
}

absl::Status BackUpDataStore(const std::string& data, const std::string& destination,
                             const std::stop_token& stop) {
  return BackUpSqliteFile(DataStoreName(data), destination, stop);
}

absl::Status RestoreDataStore(const std::string& data, const std::string& backup) {
  // SQLite does not follow a link, such as one to the newest backup.
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(backup, error);
  return RestoreSqliteFile(error ? backup : file.string(), DataStoreName(data));
}

}  // namespace slipstream
