// A file beside its destination that is given its name once it is whole.
//
//   RemoveAbandonedFiles(destination);
//   SLIPSTREAM_ASSIGN_OR_RETURN(UnfinishedFile file, UnfinishedFile::Create(destination));
//   ... write to file.path() ...
//   return file.Publish(destination);
//
// Each is locked by a file of its own, `<path>.lock`, as long as its process lives. A lock of the
// file itself would get in SQLite's way where a network file system makes one kind of lock of both.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_UNFINISHED_FILE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_UNFINISHED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/file_lock.h"

namespace slipstream::sqlite {

// What the system's `error` about a file means for a caller.
absl::Status FileFailure(const std::string& path, int error);

// Movable.
class UnfinishedFile {
 public:
  // An empty file that only its owner can read. The errors of FileFailure.
  static absl::StatusOr<UnfinishedFile> Create(const std::string& destination);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  // Removes the file unless it was published.
  ~UnfinishedFile();

  const std::string& path() const { return path_; }

  // Gives the whole file its name at once. ALREADY_EXISTS: the name is taken; the file stays
  // unfinished.
  absl::Status Publish(const std::string& destination);

 private:
  UnfinishedFile(std::string path, FileLock lock);

  std::string path_;  // Empty once it is published.
  FileLock lock_;
};

// Removes the unfinished files in the destination's folder whose processes have ended, whatever
// their destinations were. What cannot be removed stays.
void RemoveAbandonedFiles(const std::string& destination);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_UNFINISHED_FILE_H_
