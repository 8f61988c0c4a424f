#include "tests/testing/fault_vfs.h"

#include <new>

namespace slipstream {

// The file that SQLite sees; the real one follows it in memory.
struct FaultFile {
  sqlite3_file base;
  FaultVfs* disk;
  bool is_log;
};

struct FaultCalls {
  static FaultFile* Ours(sqlite3_file* file) { return reinterpret_cast<FaultFile*>(file); }
  static sqlite3_file* Real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(Ours(file) + 1);
  }
  static FaultVfs* Disk(sqlite3_vfs* vfs) { return static_cast<FaultVfs*>(vfs->pAppData); }

  static int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }
  static int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
    if (Ours(file)->disk->fail_reads_) return SQLITE_IOERR_READ;
    return Real(file)->pMethods->xRead(Real(file), bytes, size, offset);
  }
  static int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    FaultVfs* disk = Ours(file)->disk;
    if (disk->fail_writes_) return SQLITE_IOERR_WRITE;
    if (disk->free_bytes_ != INT64_MAX && disk->free_bytes_.fetch_sub(size) < size) {
      disk->free_bytes_ = 0;
      return SQLITE_FULL;
    }
    return Real(file)->pMethods->xWrite(Real(file), bytes, size, offset);
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    return Real(file)->pMethods->xTruncate(Real(file), size);
  }
  static int Sync(sqlite3_file* file, int flags) {
    FaultVfs* disk = Ours(file)->disk;
    if (Ours(file)->is_log) ++disk->log_syncs_;
    if (disk->fail_syncs_) return SQLITE_IOERR_FSYNC;
    return Real(file)->pMethods->xSync(Real(file), flags);
  }
  static int FileSize(sqlite3_file* file, sqlite3_int64* size) {
    return Real(file)->pMethods->xFileSize(Real(file), size);
  }
  static int Lock(sqlite3_file* file, int kind) {
    return Real(file)->pMethods->xLock(Real(file), kind);
  }
  static int Unlock(sqlite3_file* file, int kind) {
    return Real(file)->pMethods->xUnlock(Real(file), kind);
  }
  static int CheckReservedLock(sqlite3_file* file, int* result) {
    return Real(file)->pMethods->xCheckReservedLock(Real(file), result);
  }
  static int FileControl(sqlite3_file* file, int operation, void* argument) {
    return Real(file)->pMethods->xFileControl(Real(file), operation, argument);
  }
  static int SectorSize(sqlite3_file* file) {
    return Real(file)->pMethods->xSectorSize(Real(file));
  }
  static int DeviceCharacteristics(sqlite3_file* file) {
    return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
  }
  static int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
    return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, memory);
  }
  static int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
    return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
  }
  static void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
  static int ShmUnmap(sqlite3_file* file, int remove) {
    return Real(file)->pMethods->xShmUnmap(Real(file), remove);
  }

  static int RefuseOpening(const FaultVfs& disk, int& flags) {
    const int code = disk.open_code_;
    const bool writes = (flags & SQLITE_OPEN_READWRITE) != 0;
    if (code == SQLITE_OK || !writes || (flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_OK;
    if (code != SQLITE_READONLY) return code;
    flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
  }

  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* out_flags);
};

namespace {

constexpr sqlite3_io_methods kMethods = {
    2,
    &FaultCalls::Close,
    &FaultCalls::Read,
    &FaultCalls::Write,
    &FaultCalls::Truncate,
    &FaultCalls::Sync,
    &FaultCalls::FileSize,
    &FaultCalls::Lock,
    &FaultCalls::Unlock,
    &FaultCalls::CheckReservedLock,
    &FaultCalls::FileControl,
    &FaultCalls::SectorSize,
    &FaultCalls::DeviceCharacteristics,
    &FaultCalls::ShmMap,
    &FaultCalls::ShmLock,
    &FaultCalls::ShmBarrier,
    &FaultCalls::ShmUnmap,
    nullptr,
    nullptr,
};

std::string NextName() {
  static std::atomic<int> count{0};
  return "fault-" + std::to_string(++count);
}

}  // namespace

int FaultCalls::Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                     int* out_flags) {
  FaultVfs* disk = Disk(vfs);
  auto* ours = new (file) FaultFile{{nullptr}, disk, (flags & SQLITE_OPEN_WAL) != 0};
  const int refused = RefuseOpening(*disk, flags);
  if (refused != SQLITE_OK) return refused;
  sqlite3_file* real = Real(file);
  real->pMethods = nullptr;
  const int code = disk->real_->xOpen(disk->real_, name, real, flags, out_flags);
  if (real->pMethods != nullptr) ours->base.pMethods = &kMethods;
  return code;
}

FaultVfs::FaultVfs() : name_(NextName()), real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.szOsFile = static_cast<int>(sizeof(FaultFile)) + real_->szOsFile;
  vfs_.pAppData = this;
  vfs_.xOpen = &FaultCalls::Open;
  sqlite3_vfs_register(&vfs_, /*makeDflt=*/0);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&vfs_); }

void FaultVfs::Repair() {
  free_bytes_ = INT64_MAX;
  fail_writes_ = false;
  fail_syncs_ = false;
  fail_reads_ = false;
  open_code_ = SQLITE_OK;
}

}  // namespace slipstream
