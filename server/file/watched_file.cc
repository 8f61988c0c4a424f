#include "server/file/watched_file.h"

namespace slipstream {

bool WatchedFile::Version::operator==(const Version& other) const {
  const auto is_same = [](const timespec& one, const timespec& another) {
    return one.tv_sec == another.tv_sec && one.tv_nsec == another.tv_nsec;
  };
  return inode == other.inode && size == other.size && is_same(written, other.written) &&
         is_same(changed, other.changed);
}

WatchedFile::Version WatchedFile::Look() const {
  struct stat found = {};
  if (stat(path_.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size, found.st_mtim, found.st_ctim};
}

// A change that comes while the file is read is found by the next look.
absl::Status WatchedFile::Read() {
  const Version version = Look();
  latest_ = read_(path_);
  version_ = version;
  is_in_force_ = latest_.ok();
  return latest_;
}

std::optional<absl::Status> WatchedFile::ReadIfChanged() {
  const bool has_changed = !(Look() == version_);
  const bool may_have_passed = !latest_.ok() && !absl::IsInvalidArgument(latest_);
  if (!has_changed && !may_have_passed) return std::nullopt;
  const absl::Status before = latest_;
  const absl::Status now = Read();
  if (!has_changed && now == before) return std::nullopt;
  return now;
}

}  // namespace slipstream
