// A mark in a store's file that tells whether the file and the log beside it belong together.
//
// The log holds the latest pages of one file at one time. SQLite applies it to whatever file has
// the name. So a backup that was copied over a store whose log is still there becomes a mixture of
// both, and a store that was copied without its log lacks acknowledged results, though neither
// looks damaged. Therefore a server marks its file as in use before it writes anything else, and
// as closed once it has moved the whole log into it; a copy of a store is marked as a backup.
//
// What cannot be told is a mixture with a plain copy of a file that was in use then, too, or with a
// file or backup of a program without marks.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_MARK_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_MARK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// Stands in the header's field for a cache size that SQLite no longer uses but applies, to
// connections without one of their own: so these are sizes, in pages.
enum class FileMark : int64_t {
  kNone = 0,  // The file was written by a program without marks.
  kClosed = 2000,
  kInUse = 2001,
  kBackup = 2002,
};

// The mark of the connection's file, as the log has it.
absl::StatusOr<FileMark> MarkOf(Connection& connection);

// Changes the cache of the connection, too.
absl::Status WriteMark(Connection& connection, FileMark mark);

// Moves the log of a file that this process alone writes to into the file, unless another process
// reads it or the disk is full: then the log stays as it is.
absl::Status EmptyLog(Connection& connection);

// Marks the file of a connection with a write-ahead log as in use, if it is not yet: in the file
// itself, or at least as the first thing in its log.
absl::Status MarkInUse(Connection& connection);

// Whether the file at `path`, which no process has open, can be used with the log that is there or
// is not. FAILED_PRECONDITION if the log belongs to another file, or if the file was in use and its
// log is missing; an empty file in place of the log lets the file be opened without it.
absl::Status CheckLogBelongs(const std::string& path, const std::string& vfs);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_MARK_H_
