// The store in one SQLite file: WAL, synchronous=FULL, one writing thread with
// group commit (all writes that wait while a commit runs share the next one),
// readers on connections of their own.
//
// The file is locked for as long as it is open: `<path>.lock` holds an
// advisory lock and a line about its holder.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_STORE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/store.h"

namespace slipstream {

struct SqliteStoreOptions {
  // Path of the database file; made if absent, its folder must exist.
  std::string path;
  // Shown to whoever else tries to open the file, for example
  // "slipstream_server pid 42 on 127.0.0.1:7411".
  std::string holder;
  // Milliseconds since 1970; default: the system's clock.
  std::function<int64_t()> now_ms;
  // Remembered answers live at least this long, and at most twice as long.
  absl::Duration retention = absl::Hours(24);
  // Writes that may wait at once; more get RESOURCE_EXHAUSTED.
  size_t max_waiting_writes = 10000;
  // Writes that share one commit at most.
  size_t max_writes_per_commit = 512;
  // Call `done` on the writing thread, which saves a change of threads per
  // commit but makes the next commit wait for the callbacks.
  bool answer_on_writing_thread = false;
  // Trials of one study at most.
  int64_t max_trials_per_study = 1000000;
  // Connections for reading: as many reads run at once.
  int readers = 5;
  // Page cache of the writing connection and of each reader, in KiB.
  int writer_cache_kib = 4096;
  int reader_cache_kib = 2048;
  // Name of the SQLite VFS; empty: the default. For tests that inject faults.
  std::string vfs;
};

// Opens the file, making or migrating it. INVALID_ARGUMENT: an option is out of
// its bounds; the message names it. FAILED_PRECONDITION: another process
// holds the file (the message has its holder line), the file is of a newer
// schema, or it is a database of something else. PERMISSION_DENIED: the file or
// its folder cannot be written. DATA_LOSS: the file is damaged; it is left as
// it is. NOT_FOUND: the folder does not exist.
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(SqliteStoreOptions options);

// Reads the whole file at `path` and checks its structure; takes long for a
// large one. The file may be in use. DATA_LOSS with the first complaints,
// NOT_FOUND, FAILED_PRECONDITION (a database of something else), or OK.
absl::Status CheckSqliteFile(const std::string& path);

// Copies the store at `path`, which may be in use, to a new file. Another
// process may be writing meanwhile. ALREADY_EXISTS: `destination` exists; else
// as CheckSqliteFile. A failure leaves nothing at `destination`.
absl::Status BackUpSqliteFile(const std::string& path, const std::string& destination);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SQLITE_STORE_H_
