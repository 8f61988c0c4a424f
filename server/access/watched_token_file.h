// A token file that is read again when it changes. Not thread-safe.
#ifndef SLIPSTREAM_SERVER_ACCESS_WATCHED_TOKEN_FILE_H_
#define SLIPSTREAM_SERVER_ACCESS_WATCHED_TOKEN_FILE_H_

#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/access/token_verifier.h"

namespace slipstream {

class WatchedTokenFile {
 public:
  // `verifier` must outlive this.
  WatchedTokenFile(std::string path, TokenVerifier* verifier)
      : path_(std::move(path)), verifier_(*verifier) {}

  // Gives the verifier what the file says. On an error, those of ReadTokenFile, the verifier keeps
  // what it has.
  absl::Status Read();
  // The same if the file has changed since it was last read, successfully or not; absent if not.
  std::optional<absl::Status> ReadIfChanged();

 private:
  // What tells two states of the file apart.
  struct Version {
    ino_t inode = 0;
    off_t size = -1;
    time_t seconds = 0;
    long nanoseconds = 0;
    mode_t mode = 0;

    friend bool operator==(const Version&, const Version&) = default;
  };
  Version Look() const;

  const std::string path_;
  TokenVerifier& verifier_;
  Version version_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_WATCHED_TOKEN_FILE_H_
