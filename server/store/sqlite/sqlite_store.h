// The store in one SQLite file: WAL, synchronous=FULL, one writing connection
// with group commit (all writes that wait while a commit runs share the next
// one), and several connections for reading.
//
// The file is locked for as long as it is open: `<path>.lock` holds an
// advisory lock and a line about its holder.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_STORE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_STORE_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/store.h"
#include "server/store/store_options.h"

namespace slipstream {

struct SqliteStoreOptions : StoreOptions {
  SqliteStoreOptions() = default;
  explicit SqliteStoreOptions(const StoreOptions& options) : StoreOptions(options) {}

  // Path of the database file, whose folder must exist.
  std::string path;
  // Makes a new store if there is none at `path`. Say so only once in the life of a
  // store: when its file has been lost, an empty one in its place is no help.
  bool create = false;
  // Shown to another process that tries to open the file, for example
  // "slipstream_server pid 42 on 127.0.0.1:7411".
  std::string holder;
  // Connections for reading: as many reads run at once.
  int readers = 5;
  // Page cache of the writing connection and of each reader, in KiB.
  int writer_cache_kib = 4096;
  int reader_cache_kib = 2048;
  // Name of the SQLite VFS; empty: the default. Tests inject faults with it.
  std::string vfs;
};

// Opens the file and migrates it if necessary. INVALID_ARGUMENT: an
// option is out of its bounds; the message names it. FAILED_PRECONDITION:
// another process holds the file (the message has its holder line), the file has
// a newer schema, a second name (a hard link) or a log without its index, or it is another
// program's database. PERMISSION_DENIED: the file or its folder cannot be written. DATA_LOSS: the
// file is damaged; it is left as it is. NOT_FOUND: there is no store, or the folder does not exist.
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const SqliteStoreOptions& options);

// Whether a stored source task is sound, given its chunks.
using SourceTaskCheck = std::function<absl::Status(const SourceTaskRecord& record,
                                                   const std::vector<std::string>& chunks)>;

// Reads the whole file at `path` and its log and checks them and each source task, which
// takes long for a large file. The file may be in use, and is not changed. DATA_LOSS with
// the first complaints, NOT_FOUND, FAILED_PRECONDITION (another program's database), or OK.
absl::Status CheckSqliteFile(const std::string& path, const SourceTaskCheck& check_source = {});

// Puts a backup in place as the store at `path`, whose folder must exist and where nothing of
// an earlier store may be left: ALREADY_EXISTS names it. FAILED_PRECONDITION: a process has the
// store open. Other codes are those of BackUpSqliteFile.
absl::Status RestoreSqliteFile(const std::string& backup, const std::string& path);

// Copies the store at `path` to a new file. Another process may be using and
// writing it meanwhile; the copy is one snapshot, and is checked. ALREADY_EXISTS: `destination`
// exists; CANCELLED: `stop` was requested; other codes are those of CheckSqliteFile. A failure
// leaves nothing at `destination`.
absl::Status BackUpSqliteFile(const std::string& path, const std::string& destination,
                              const std::stop_token& stop = {});

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_STORE_H_
