#include "server/store/sqlite/file_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/result_code.h"

namespace slipstream::sqlite {
namespace {

struct FileFacts {
  dev_t device = 0;
  ino_t inode = 0;
  int64_t size = 0;
};

// Returns 0 or the system's error. Does not ask for the file's times, as stat does: since version
// 6.13, Linux dates the next write to a file exactly if its times have been asked for, and the sync
// after that write has to write the inode, too, which takes half as long again.
int LookAt(const std::string& path, FileFacts* facts) {
  struct statx found = {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_SIZE, &found) == 0) {
    *facts = {makedev(found.stx_dev_major, found.stx_dev_minor), found.stx_ino,
              static_cast<int64_t>(found.stx_size)};
    return 0;
  }
  // Older containers do not let a process call statx, and say so by EPERM.
  struct stat same = {};
  if (errno != EPERM) return errno;
  if (stat(path.c_str(), &same) != 0) return errno;
  *facts = {same.st_dev, same.st_ino, same.st_size};
  return 0;
}

// Also without memory for its text, as it may tell of what was committed.
absl::Status FileLost(const std::string& path, absl::string_view what, const char* why = nullptr) {
  return OrWithoutText(absl::StatusCode::kDataLoss, [&] {
    const std::string reason = why == nullptr ? "" : absl::StrCat(" (", why, ")");
    return absl::DataLossError(absl::StrCat("the file ", path, " ", what, reason,
                                            " while the store was open; put it back or restore a "
                                            "backup, and start the server again"));
  });
}

absl::Status FileNotFound(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return FileLost(path, "has been removed or moved");
  return FileLost(path, "can no longer be reached", std::strerror(error));
}

}  // namespace

absl::StatusOr<FileWatch::File> FileWatch::Found(std::string path) {
  FileFacts found;
  if (const int error = LookAt(path, &found); error != 0) return FileNotFound(path, error);
  File file;
  file.path = std::move(path);
  file.device = found.device;
  file.inode = found.inode;
  file.least_size = found.size;
  return file;
}

absl::StatusOr<FileWatch> FileWatch::Begin(const std::string& path) {
  FileWatch watch;
  SLIPSTREAM_ASSIGN_OR_RETURN(watch.database_, Found(path));
  SLIPSTREAM_ASSIGN_OR_RETURN(watch.log_, Found(path + "-wal"));
  SLIPSTREAM_ASSIGN_OR_RETURN(watch.lock_, Found(path + ".lock"));
  return watch;
}

absl::StatusOr<int64_t> FileWatch::SizeInPlace(const File& file) {
  FileFacts found;
  if (const int error = LookAt(file.path, &found); error != 0) {
    return FileNotFound(file.path, error);
  }
  if (found.inode != file.inode || found.device != file.device) {
    return FileLost(file.path, "has been replaced");
  }
  return found.size;
}

absl::Status FileWatch::CheckPlaces() const {
  for (const File* file : {&database_, &log_, &lock_}) {
    FileFacts found;
    const int error = LookAt(file->path, &found);
    // If that fails for another reason, the next commit looks again.
    if (error != 0 && error != ENOENT && error != ENOTDIR) continue;
    SLIPSTREAM_RETURN_IF_ERROR(SizeInPlace(*file).status());
  }
  return absl::OkStatus();
}

absl::Status FileWatch::CheckOne(File& file) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t size, SizeInPlace(file));
  if (size < file.least_size) return FileLost(file.path, "has been truncated");
  file.least_size = std::min(size, file.most_known);
  return absl::OkStatus();
}

absl::Status FileWatch::Check() {
  SLIPSTREAM_RETURN_IF_ERROR(CheckOne(database_));
  SLIPSTREAM_RETURN_IF_ERROR(CheckOne(log_));
  return CheckOne(lock_);
}

void FileWatch::NoteShorter(int64_t size) {
  database_.most_known = size;
  database_.least_size = std::min(database_.least_size, size);
}

}  // namespace slipstream::sqlite
