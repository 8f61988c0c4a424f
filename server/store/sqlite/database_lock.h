// The advisory lock on a store's database file itself. It keeps a second process out also where
// somebody has removed the lock file, whose lock then no longer has a name (file_lock.h).
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_DATABASE_LOCK_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_DATABASE_LOCK_H_

#include <string>

#include "absl/status/statusor.h"

namespace slipstream::sqlite {

// Held until it is destroyed or the process ends, however it ends. Movable. To be destroyed after
// all of the process's connections to the file: closing a file drops the locks that SQLite has on
// it.
class DatabaseLock {
 public:
  // Holds nothing.
  DatabaseLock() = default;

  // Locks a byte of the file that SQLite never locks, and that readers and copies leave alone.
  // Holds nothing if there is no file that can be written: SQLite says why. On a system without
  // such locks, only keeps the file open. FAILED_PRECONDITION: it is locked.
  static absl::StatusOr<DatabaseLock> Acquire(const std::string& path);

  DatabaseLock(DatabaseLock&& other) noexcept;
  DatabaseLock& operator=(DatabaseLock&& other) noexcept;
  ~DatabaseLock();

  bool is_held() const { return descriptor_ >= 0; }
  // Of the open file; negative if nothing is held.
  int descriptor() const { return descriptor_; }

 private:
  explicit DatabaseLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_DATABASE_LOCK_H_
