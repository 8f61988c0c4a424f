// A layer between SQLite and the VFS that does the work. It passes on what SQLite asks of a file,
// but for the calls that the layer's kind of file has members of its own for.
//
//   struct CountedFile : PassingFile<CountedFile> {
//     CountedFile(int64_t& count, int /*open_flags*/) : syncs(count) {}
//     int Sync(int flags) {
//       ++syncs;
//       return PassingFile::Sync(flags);
//     }
//     int64_t& syncs;
//   };
//
//   int64_t syncs = 0;
//   VfsLayer<CountedFile, int64_t> layer("counting", /*base=*/"", syncs);
//   auto connection = Connection::Open(path, flags, layer.name());
//
// Files have no memory-mapped reads, which would go past a layer.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_VFS_LAYER_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_VFS_LAYER_H_

#include <sqlite3.h>

#include <atomic>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace slipstream::sqlite {

// The file that SQLite sees; the one of the VFS below follows it in memory. `File` is the type that
// derives from this and may hide any of the members that return a result code.
template <typename File>
struct PassingFile : sqlite3_file {
  // Whether a file that is opened with these flags is the layer's; else it is the base's alone.
  static bool IsOfLayer(int /*open_flags*/) { return true; }

  // Called in place of the base's xOpen.
  int Open(sqlite3_vfs& base, const char* name, int flags, int* out_flags) {
    return base.xOpen(&base, name, below(), flags, out_flags);
  }
  int Close() { return below()->pMethods->xClose(below()); }
  int Read(void* bytes, int size, sqlite3_int64 offset) {
    return below()->pMethods->xRead(below(), bytes, size, offset);
  }
  int Write(const void* bytes, int size, sqlite3_int64 offset) {
    return below()->pMethods->xWrite(below(), bytes, size, offset);
  }
  int Truncate(sqlite3_int64 size) { return below()->pMethods->xTruncate(below(), size); }
  int Sync(int flags) { return below()->pMethods->xSync(below(), flags); }
  int FileSize(sqlite3_int64* size) { return below()->pMethods->xFileSize(below(), size); }
  int FileControl(int operation, void* argument) {
    return below()->pMethods->xFileControl(below(), operation, argument);
  }

  sqlite3_file* below() {
    void* const behind = static_cast<File*>(this) + 1;
    return static_cast<sqlite3_file*>(behind);
  }
};

// Must outlive the connections that use it. As thread-safe as the members of File are.
template <typename File, typename Owner>
class VfsLayer {
 public:
  // Above the VFS called `base`, or SQLite's default one if that is empty. If there is none of that
  // name, opening a file of this layer fails. Files are made from `owner` and the flags they are
  // opened with; `kind` begins the layer's name.
  VfsLayer(absl::string_view kind, const std::string& base, Owner& owner)
      : name_(absl::StrCat("slipstream-", kind, "-", ++count_)),
        base_(sqlite3_vfs_find(base.empty() ? nullptr : base.c_str())),
        owner_(owner) {
    if (base_ == nullptr) return;
    vfs_ = *base_;
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + base_->szOsFile;
    vfs_.pAppData = this;
    vfs_.xOpen = &Open;
    sqlite3_vfs_register(&vfs_, /*makeDflt=*/0);
  }
  ~VfsLayer() {
    if (base_ != nullptr) sqlite3_vfs_unregister(&vfs_);
  }

  VfsLayer(const VfsLayer&) = delete;
  VfsLayer& operator=(const VfsLayer&) = delete;

  const std::string& name() const { return name_; }

 private:
  using Methods = sqlite3_io_methods;

  static int Close(sqlite3_file* file) { return static_cast<File*>(file)->Close(); }
  static int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
    return static_cast<File*>(file)->Read(bytes, size, offset);
  }
  static int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    return static_cast<File*>(file)->Write(bytes, size, offset);
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    return static_cast<File*>(file)->Truncate(size);
  }
  static int Sync(sqlite3_file* file, int flags) { return static_cast<File*>(file)->Sync(flags); }
  static int FileSize(sqlite3_file* file, sqlite3_int64* size) {
    return static_cast<File*>(file)->FileSize(size);
  }
  static int FileControl(sqlite3_file* file, int operation, void* argument) {
    return static_cast<File*>(file)->FileControl(operation, argument);
  }
  // Calls the base's function.
  template <auto kFunction, typename... Arguments>
  static auto PassOn(sqlite3_file* file, Arguments... arguments) {
    sqlite3_file* const below = static_cast<File*>(file)->below();
    return (below->pMethods->*kFunction)(below, arguments...);
  }

  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* out_flags) {
    auto& layer = *static_cast<VfsLayer*>(vfs->pAppData);
    if (!File::IsOfLayer(flags)) {
      return layer.base_->xOpen(layer.base_, name, file, flags, out_flags);
    }
    auto* const ours = new (file) File(layer.owner_, flags);
    ours->pMethods = nullptr;
    ours->below()->pMethods = nullptr;
    const int code = ours->Open(*layer.base_, name, flags, out_flags);
    // SQLite closes a file that has methods, also where opening it failed.
    if (ours->below()->pMethods != nullptr) ours->pMethods = &kMethods;
    return code;
  }

  static constexpr Methods kMethods = {
      .iVersion = 2,
      .xClose = &Close,
      .xRead = &Read,
      .xWrite = &Write,
      .xTruncate = &Truncate,
      .xSync = &Sync,
      .xFileSize = &FileSize,
      .xLock = &PassOn<&Methods::xLock, int>,
      .xUnlock = &PassOn<&Methods::xUnlock, int>,
      .xCheckReservedLock = &PassOn<&Methods::xCheckReservedLock, int*>,
      .xFileControl = &FileControl,
      .xSectorSize = &PassOn<&Methods::xSectorSize>,
      .xDeviceCharacteristics = &PassOn<&Methods::xDeviceCharacteristics>,
      .xShmMap = &PassOn<&Methods::xShmMap, int, int, int, void volatile**>,
      .xShmLock = &PassOn<&Methods::xShmLock, int, int, int>,
      .xShmBarrier = &PassOn<&Methods::xShmBarrier>,
      .xShmUnmap = &PassOn<&Methods::xShmUnmap, int>,
      .xFetch = nullptr,
      .xUnfetch = nullptr,
  };

  static inline std::atomic<int> count_{0};

  const std::string name_;
  sqlite3_vfs* const base_;  // Null if there is no VFS of this name.
  Owner& owner_;
  sqlite3_vfs vfs_ = {};
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_VFS_LAYER_H_
