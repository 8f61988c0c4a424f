// Checks the write-ahead log of a store that no process has open.
//
// SQLite takes the first frame of the log whose checksum is wrong for the end of what
// was written before a crash, and forgets all frames from there on. That is right for
// a commit that a power cut interrupted, and would silently lose acknowledged ones
// after damage. Two things tell them apart. Every commit is synced before it is
// acknowledged and before the next one begins, so what a power cut may leave in pieces
// is a part of the last commit; and the log's index (the -shm file), where it has
// survived, counts only frames that have been synced.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_LOG_CHECK_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_LOG_CHECK_H_

#include <string>

#include "absl/status/status.h"

namespace slipstream::sqlite {

// DATA_LOSS if commits of the log of the database at `path` have been damaged, cut off
// or removed. Reads all of the log and changes nothing. Not for a log that this
// process has open, as it would release locks on the log's index.
absl::Status CheckLog(const std::string& path, const std::string& vfs);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_LOG_CHECK_H_
