// SQLite's default VFS with a disk that fails on demand and counts.
//
//   FaultVfs disk;
//   options.vfs = disk.name();
//   disk.FillUpAfter(0);   // From now on every write gets SQLITE_FULL.
//   disk.Repair();
//
// Thread-safe. Must outlive the connections that use it. Several may exist.
#ifndef SLIPSTREAM_TESTS_TESTING_FAULT_VFS_H_
#define SLIPSTREAM_TESTS_TESTING_FAULT_VFS_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "server/store/sqlite/vfs_layer.h"

namespace slipstream {

class FaultVfs {
 public:
  FaultVfs() : layer_("fault", /*base=*/"", *this) {}

  const std::string& name() const { return layer_.name(); }

  // Writes give SQLITE_FULL once `bytes` more have been written.
  void FillUpAfter(int64_t bytes) { free_bytes_ = bytes; }
  // Writes give `code`. With SQLITE_IOERR_WRITE, the system's error is that of a disk that can
  // only be read any more.
  void FailWrites(int code = SQLITE_IOERR_WRITE) { write_code_ = code; }
  // Syncs give SQLITE_IOERR_FSYNC; earlier writes stay.
  void FailSyncs() { fail_syncs_ = true; }
  // Reads give SQLITE_IOERR_READ.
  void FailReads() { fail_reads_ = true; }
  // Opening a database file for writing gives `code`; reading stays possible
  // only with SQLITE_READONLY, as on a disk mounted for reading.
  void FailOpeningForWrite(int code) { open_code_ = code; }
  // Ends all failures.
  void Repair();

  // How often write-ahead logs have been synced.
  int64_t log_syncs() const { return log_syncs_; }

 private:
  struct FaultFile : sqlite::PassingFile<FaultFile> {
    FaultFile(FaultVfs& vfs, int open_flags)
        : disk(vfs), is_log((open_flags & SQLITE_OPEN_WAL) != 0) {}

    int Open(sqlite3_vfs& base, const char* name, int flags, int* out_flags);
    int Read(void* bytes, int size, sqlite3_int64 offset);
    int Write(const void* bytes, int size, sqlite3_int64 offset);
    int Sync(int flags);

    FaultVfs& disk;
    const bool is_log;
  };

  std::atomic<int64_t> free_bytes_{INT64_MAX};
  std::atomic<int> write_code_{SQLITE_OK};
  std::atomic<bool> fail_syncs_{false};
  std::atomic<bool> fail_reads_{false};
  std::atomic<int> open_code_{SQLITE_OK};
  std::atomic<int64_t> log_syncs_{0};
  sqlite::VfsLayer<FaultFile, FaultVfs> layer_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_FAULT_VFS_H_
