// The advisory lock that keeps a second process from opening a store.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_LOCK_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_LOCK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream::sqlite {

// Whether a process, perhaps this one, has the store at `path` locked.
bool IsLocked(const std::string& path);

// Held until it is destroyed or the process ends, however it ends. Movable.
class FileLock {
 public:
  // Locks `<path>.lock`, creating it if absent, and writes `holder` into it.
  // FAILED_PRECONDITION: it is locked; the message has its holder line.
  // PERMISSION_DENIED, NOT_FOUND (no such folder), RESOURCE_EXHAUSTED.
  static absl::StatusOr<FileLock> Acquire(const std::string& path, const std::string& holder);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  // Whether `<path>.lock` is still the file that was locked, and not removed or another one.
  bool HasItsName(const std::string& path) const;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_LOCK_H_
