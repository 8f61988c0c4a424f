// Whether the files of an open store are still the ones at their paths, and none of
// them has been truncated. A file that has been removed, moved or replaced is still
// written to by the process that has it open, and what is written is lost when it is closed.
//
// Used by the writing thread; not thread-safe, but for CheckPlaces.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_WATCH_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream::sqlite {

class FileWatch {
 public:
  // Begins to watch the open database at `path`, its log and its lock file, all of
  // which exist. DATA_LOSS if they do not.
  static absl::StatusOr<FileWatch> Begin(const std::string& path);

  // DATA_LOSS if one of the files has been removed, moved, replaced or truncated. Takes
  // a few microseconds.
  absl::Status Check();
  // DATA_LOSS if a file has been removed, moved or replaced. Thread-safe.
  absl::Status CheckPlaces() const;

  // After a commit that made the database file shorter, to `size` bytes: a
  // checkpoint may truncate it there at any time.
  void NoteShorter(int64_t size);

 private:
  struct File {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    int64_t least_size = 0;                                    // It is never shorter than this.
    int64_t most_known = std::numeric_limits<int64_t>::max();  // Bounds least_size.
  };

  FileWatch() = default;

  static absl::StatusOr<File> Found(std::string path);
  // The file's size, if it is where it was. DATA_LOSS.
  static absl::StatusOr<int64_t> SizeInPlace(const File& file);
  static absl::Status CheckOne(File& file);

  File database_;
  File log_;
  File lock_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_WATCH_H_
