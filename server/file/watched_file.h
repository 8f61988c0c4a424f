// A file that people write and a program reads again when it changes. Not thread-safe, but for
// is_in_force.
//
//   WatchedFile file(path, [&](const std::string& path) { return ReadTokens(path, &verifier); });
//   SLIPSTREAM_RETURN_IF_ERROR(file.Read());
//   ...
//   if (const auto read = file.ReadIfChanged()) Tell(*read);     // Now and then.
#ifndef SLIPSTREAM_SERVER_FILE_WATCHED_FILE_H_
#define SLIPSTREAM_SERVER_FILE_WATCHED_FILE_H_

#include <sys/stat.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace slipstream {

class WatchedFile {
 public:
  // `read` reads the file at a path; when it fails, what was read before stays in force. Where it
  // throws, a change counts as one until it has been read.
  WatchedFile(std::string path, std::function<absl::Status(const std::string& path)> read)
      : path_(std::move(path)), read_(std::move(read)) {}

  absl::Status Read();
  // Reads it if it has changed since it was last read, successfully or not, or could not be read
  // for another reason than its content (INVALID_ARGUMENT), which may have passed. Absent if there
  // is nothing new.
  std::optional<absl::Status> ReadIfChanged();
  // Whether what is in force is what the file said when it was last read. Thread-safe.
  bool is_in_force() const { return is_in_force_; }

 private:
  // What tells two states of the file apart.
  struct Version {
    ino_t inode = 0;
    off_t size = -1;
    timespec written = {};
    timespec changed = {};  // Its owner or mode, too.

    bool operator==(const Version& other) const;
  };
  Version Look() const;

  const std::string path_;
  const std::function<absl::Status(const std::string&)> read_;
  Version version_;
  absl::Status latest_;  // Of the latest reading.
  std::atomic<bool> is_in_force_{false};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_FILE_WATCHED_FILE_H_
