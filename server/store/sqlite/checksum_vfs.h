// A SQLite VFS that keeps a checksum of every page in the page's last eight bytes,
// so that damage of any value is noticed wherever it is read.
//
// A database file has checksums from the moment its first page says that eight bytes
// of each page are reserved (RequestChecksums). A page gets its checksum when it is
// written to the file, of its number and its other bytes; what is read with another
// one gives SQLITE_IOERR_DATA. The write-ahead log has SQLite's own checksums, which
// log_check.h verifies. A program that writes to the file without this VFS leaves
// pages behind that count as damaged.
//
// Must outlive the connections that use it. Thread-safe.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_CHECKSUM_VFS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_CHECKSUM_VFS_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/vfs_layer.h"

namespace slipstream::sqlite {

inline constexpr int kChecksumBytes = 8;

class ChecksumVfs {
 public:
  // Reads and writes by the VFS called `base`; empty: the default one.
  explicit ChecksumVfs(const std::string& base);

  const std::string& name() const { return layer_.name(); }

  // Sets whether a file has checksums as long as its first page, which says so, is not written;
  // without this call it has none. SQLite writes that page last where it copies more than its cache
  // holds.
  void ExpectChecksums(bool expected) { expects_checksums_ = expected; }

 private:
  // A main database file; logs, journals and temporary files are the base's alone.
  struct ChecksumFile : PassingFile<ChecksumFile> {
    ChecksumFile(ChecksumVfs& owner, int /*open_flags*/) : vfs(owner) {}

    static bool IsOfLayer(int open_flags) { return (open_flags & SQLITE_OPEN_MAIN_DB) != 0; }
    int Read(void* bytes, int size, sqlite3_int64 offset);
    int Write(const void* bytes, int size, sqlite3_int64 offset);
    int FileControl(int operation, void* argument);

    // A file gets them for good, perhaps from another connection.
    bool HasChecksums();

    ChecksumVfs& vfs;
    bool has_checksums = false;
    int64_t damaged_page = 0;  // The latest that was read with another checksum; 0: none.
  };

  std::atomic<bool> expects_checksums_ = false;
  VfsLayer<ChecksumFile, ChecksumVfs> layer_;
};

// Whether these first bytes of a database file (at least 21) say that its pages have checksums.
bool HeaderHasChecksums(absl::string_view header);

// Whether the pages of the connection's file have checksums.
absl::StatusOr<bool> FileHasChecksums(Connection& connection);

// The page, counted from 1, that the connection has last read with another checksum than it was
// written with; 0 if there is none.
int64_t DamagedPage(const Connection& connection);

// Makes pages of a file that is created next, or is rewritten by VACUUM, have checksums.
absl::Status RequestChecksums(Connection& connection);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_CHECKSUM_VFS_H_
