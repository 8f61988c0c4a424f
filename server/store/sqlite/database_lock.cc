#include "server/store/sqlite/database_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream::sqlite {
namespace {

// SQLite locks 512 bytes from 1 GiB on, and keeps their page free of data.
constexpr off_t kByte = (off_t{1} << 30) + 512;

// A lock of the open file and not of the process, as the process opens and closes the file in many
// places.
int SetLock(int descriptor, short kind) {
  struct flock lock = {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = kByte;
  lock.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

}  // namespace

absl::StatusOr<DatabaseLock> DatabaseLock::Acquire(const std::string& path) {
  DatabaseLock lock(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!lock.is_held() || SetLock(lock.descriptor_, F_WRLCK) == 0) return lock;
  // Where such locks do not exist, the lock file has to do.
  if (errno != EAGAIN && errno != EACCES) return lock;
  return absl::FailedPreconditionError(
      absl::StrCat("the store ", path, " is in use by a process whose lock file, ", path,
                   ".lock, was removed or replaced; stop that process, which fuser or lsof names"));
}

DatabaseLock::DatabaseLock(DatabaseLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

DatabaseLock& DatabaseLock::operator=(DatabaseLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

// Unlocks explicitly, as a forked child may still have the descriptor.
DatabaseLock::~DatabaseLock() {
  if (descriptor_ < 0) return;
  SetLock(descriptor_, F_UNLCK);
  close(descriptor_);
}

}  // namespace slipstream::sqlite
