#include "server/access/watched_token_file.h"

#include "core/base/status.h"
#include "server/access/token_file.h"

namespace slipstream {

WatchedTokenFile::Version WatchedTokenFile::Look() const {
  struct stat found = {};
  if (stat(path_.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_mode};
}

// A change that comes while the file is read is found by the next look.
absl::Status WatchedTokenFile::Read() {
  version_ = Look();
  SLIPSTREAM_ASSIGN_OR_RETURN(TokenTable table, ReadTokenFile(path_));
  verifier_.Replace(std::move(table));
  return absl::OkStatus();
}

std::optional<absl::Status> WatchedTokenFile::ReadIfChanged() {
  if (Look() == version_) return std::nullopt;
  return Read();
}

}  // namespace slipstream
