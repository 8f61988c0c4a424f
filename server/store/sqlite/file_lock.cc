#include "server/store/sqlite/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/file_owner.h"

namespace slipstream::sqlite {
namespace {

absl::Status LockFileError(const std::string& lock_path, int error) {
  std::string text = absl::StrCat("the lock file ", lock_path, ": ", std::strerror(error));
  struct stat found = {};
  if (error == EACCES && stat(lock_path.c_str(), &found) == 0) {
    absl::StrAppend(&text, "; it belongs to the user ", found.st_uid,
                    ", and this process to the user ", geteuid());
  }
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOLCK:
      return absl::ResourceExhaustedError(text);
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
      return absl::PermissionDeniedError(text);
    default:
      return absl::InternalError(text);
  }
}

std::string HolderLine(int descriptor) {
  char line[512];
  const ssize_t size = pread(descriptor, line, sizeof(line), 0);
  if (size <= 0) return "a process that left no name";
  std::string_view text(line, static_cast<size_t>(size));
  return std::string(text.substr(0, text.find('\n')));
}

absl::Status WriteHolder(int descriptor, const std::string& lock_path, const std::string& holder) {
  const std::string line = absl::StrCat(holder, "\n");
  if (ftruncate(descriptor, 0) != 0 ||
      pwrite(descriptor, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    return LockFileError(lock_path, errno);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsLocked(const std::string& path) {
  const int descriptor = open(absl::StrCat(path, ".lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return locked;
}

absl::StatusOr<FileLock> FileLock::Acquire(const std::string& path, const std::string& holder) {
  const std::string lock_path = absl::StrCat(path, ".lock");
  const int flags = O_CREAT | O_RDWR | O_CLOEXEC;
  FileLock lock(open(lock_path.c_str(), flags | O_EXCL, 0644));
  if (lock.descriptor_ >= 0) {
    GiveToOwnerOfFolder(lock.descriptor_, lock_path);
  } else {
    lock = FileLock(open(lock_path.c_str(), flags, 0644));
  }
  if (lock.descriptor_ < 0) return LockFileError(lock_path, errno);
  if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return LockFileError(lock_path, errno);
    return absl::FailedPreconditionError(
        absl::StrCat("the store ", path, " is in use by ", HolderLine(lock.descriptor_)));
  }
  SLIPSTREAM_RETURN_IF_ERROR(WriteHolder(lock.descriptor_, lock_path, holder));
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool FileLock::HasItsName(const std::string& path) const {
  struct stat locked = {};
  struct stat named = {};
  return fstat(descriptor_, &locked) == 0 &&
         lstat(absl::StrCat(path, ".lock").c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

// Unlocks explicitly, as a forked child that still has the descriptor would keep
// the lock.
FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  flock(descriptor_, LOCK_UN);
  close(descriptor_);
}

}  // namespace slipstream::sqlite
