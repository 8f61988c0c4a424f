#include "server/file/watched_file.h"

namespace slipstream {

WatchedFile::Version WatchedFile::Look() const {
  struct stat found = {};
  if (stat(path_.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_mode};
}

// A change that comes while the file is read is found by the next look.
absl::Status WatchedFile::Read() {
  version_ = Look();
  absl::Status status = read_(path_);
  is_in_force_ = status.ok();
  return status;
}

std::optional<absl::Status> WatchedFile::ReadIfChanged() {
  if (Look() == version_) return std::nullopt;
  return Read();
}

}  // namespace slipstream
