#include "tests/testing/fault_vfs.h"

#include <cerrno>

namespace slipstream {

int FaultVfs::FaultFile::Open(sqlite3_vfs& base, const char* name, int flags, int* out_flags) {
  const int code = disk.open_code_;
  const bool writes = (flags & SQLITE_OPEN_READWRITE) != 0;
  if (code != SQLITE_OK && writes && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
    if (code != SQLITE_READONLY) return code;
    flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
  }
  return PassingFile::Open(base, name, flags, out_flags);
}

int FaultVfs::FaultFile::Read(void* bytes, int size, sqlite3_int64 offset) {
  if (disk.fail_reads_) return SQLITE_IOERR_READ;
  return PassingFile::Read(bytes, size, offset);
}

int FaultVfs::FaultFile::Write(const void* bytes, int size, sqlite3_int64 offset) {
  if (disk.write_code_ != SQLITE_OK) {
    errno = EROFS;
    return disk.write_code_;
  }
  if (disk.free_bytes_ != INT64_MAX && disk.free_bytes_.fetch_sub(size) < size) {
    disk.free_bytes_ = 0;
    return SQLITE_FULL;
  }
  return PassingFile::Write(bytes, size, offset);
}

int FaultVfs::FaultFile::Sync(int flags) {
  if (is_log) ++disk.log_syncs_;
  if (disk.fail_syncs_) return SQLITE_IOERR_FSYNC;
  return PassingFile::Sync(flags);
}

void FaultVfs::Repair() {
  free_bytes_ = INT64_MAX;
  write_code_ = SQLITE_OK;
  fail_syncs_ = false;
  fail_reads_ = false;
  open_code_ = SQLITE_OK;
}

}  // namespace slipstream
