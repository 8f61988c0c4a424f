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

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace slipstream {

class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();

  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  // Writes give SQLITE_FULL once `bytes` more have been written.
  void FillUpAfter(int64_t bytes) { free_bytes_ = bytes; }
  // Writes give SQLITE_IOERR_WRITE.
  void FailWrites() { fail_writes_ = true; }
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
  friend struct FaultFile;
  friend struct FaultCalls;

  const std::string name_;
  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_;
  std::atomic<int64_t> free_bytes_{INT64_MAX};
  std::atomic<bool> fail_writes_{false};
  std::atomic<bool> fail_syncs_{false};
  std::atomic<bool> fail_reads_{false};
  std::atomic<int> open_code_{SQLITE_OK};
  std::atomic<int64_t> log_syncs_{0};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_FAULT_VFS_H_
