#include "server/store/sqlite/file_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

absl::Status FileLost(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the file ", path, " ", what,
                                          " while the store was open; put it back or restore a "
                                          "backup, and start the server again"));
}

absl::Status FileNotFound(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return FileLost(path, "has been removed or moved");
  return FileLost(path, absl::StrCat("can no longer be reached (", std::strerror(error), ")"));
}

}  // namespace

absl::StatusOr<FileWatch::File> FileWatch::Found(std::string path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return FileNotFound(path, errno);
  File file;
  file.path = std::move(path);
  file.device = found.st_dev;
  file.inode = found.st_ino;
  file.least_size = found.st_size;
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
  struct stat found;
  if (stat(file.path.c_str(), &found) != 0) return FileNotFound(file.path, errno);
  if (found.st_ino != file.inode || found.st_dev != file.device) {
    return FileLost(file.path, "has been replaced");
  }
  return found.st_size;
}

absl::Status FileWatch::CheckPlaces() const {
  for (const File* file : {&database_, &log_, &lock_}) {
    struct stat found;
    // If stat fails for another reason, the next commit looks again.
    if (stat(file->path.c_str(), &found) != 0 && errno != ENOENT && errno != ENOTDIR) continue;
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
