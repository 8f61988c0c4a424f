// Checks the write-ahead log of a store that no process has open.
//
// SQLite takes the first frame of the log whose checksum is wrong for the end of what
// was written before a crash, and forgets all frames from there on. That is right for
// a commit that a power cut interrupted, and would silently lose acknowledged ones
// after damage. Two things tell them apart. Every commit is synced before it is
// acknowledged and before the next one begins, so what a power cut may leave in pieces
// is a part of the last commit; and the log's index (the -shm file), where it has
// survived, counts only frames that have been synced. For that, a server moves the log
// that an earlier one left before it writes: pieces that are overwritten in part by later
// commits could not be told from damage.
//
// A kill leaves the index as it was, so that what the log has lost can be told for certain.
// A power cut may leave an older one, or zeros. Then the pieces at the log's end may be of a
// commit that was never acknowledged or of one that was damaged later, which nothing can tell
// apart: the store is opened without them, and they are reported rather than forgotten in
// silence. What cannot be noticed then is a log that ends exactly where a commit does. Neither a
// kill nor a power cut removes the index: a log without one has been copied without it, and is
// refused, as it may have been truncated anywhere. An empty file in the index's place makes the log
// one that a power cut left.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_LOG_CHECK_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_LOG_CHECK_H_

#include <string>

#include "absl/status/statusor.h"

namespace slipstream::sqlite {

// DATA_LOSS if commits of the log of the database at `path` have been damaged, truncated
// or removed; FAILED_PRECONDITION if the log has no index. Otherwise a sentence about the pieces at
// its end that will be dropped and may have been acknowledged, empty if there are none. Reads all
// of the log and changes nothing. Not for a log that this process has open, as it would release
// locks on the log's index.
absl::StatusOr<std::string> CheckLog(const std::string& path, const std::string& vfs);

// Whether the log of the database at `path` has a whole commit, and so would change what is read.
// As above, not for a log that this process has open.
absl::StatusOr<bool> LogHasCommit(const std::string& path, const std::string& vfs);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_LOG_CHECK_H_
