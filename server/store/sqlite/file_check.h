// Checks a store file before it is written to. Nothing here changes the file or
// its write-ahead log.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_CHECK_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_CHECK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// PERMISSION_DENIED if this user may not enter the folder of `path`, or one above it, and so cannot
// tell whether the file exists.
absl::Status CheckReachable(const std::string& path);

// Whether there is a store at `path`; an absent or empty file is none.
// FAILED_PRECONDITION: another program's database, or not a regular file.
// DATA_LOSS: the header is damaged or pages are missing at the end.
// PERMISSION_DENIED.
absl::StatusOr<bool> InspectHeader(const std::string& path, const std::string& vfs);

// FAILED_PRECONDITION if the file at `path` has another name, a hard link. The lock and the log are
// beside one name, so that servers on two of them would overwrite each other's changes.
absl::Status CheckHasOneName(const std::string& path);

// After InspectHeader has returned true: FAILED_PRECONDITION if the schema is
// newer than `newest_version`; DATA_LOSS if the structure is damaged. Stops
// after `time_limit`, so a large file that is not in memory is checked in part.
absl::Status InspectContent(const std::string& path, const std::string& vfs, int64_t newest_version,
                            absl::Duration time_limit);

// A connection that changes nothing. The file may be in use.
absl::StatusOr<std::unique_ptr<Connection>> OpenForReading(const std::string& path,
                                                           const std::string& vfs);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_CHECK_H_
