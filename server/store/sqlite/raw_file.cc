#include "server/store/sqlite/raw_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite/result_code.h"

namespace slipstream::sqlite {

bool FileExists(const std::string& path) {
  struct stat unused;
  return lstat(path.c_str(), &unused) == 0;
}

void RawFile::Closer::operator()(sqlite3_file* file) const {
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  std::free(file);
}

void RawFile::NameDeleter::operator()(const char* name) const { sqlite3_free_filename(name); }

absl::StatusOr<RawFile> RawFile::Open(const std::string& path, const std::string& vfs, bool log) {
  sqlite3_vfs* system = sqlite3_vfs_find(vfs.empty() ? nullptr : vfs.c_str());
  if (system == nullptr) return absl::InternalError(absl::StrCat("no SQLite VFS \"", vfs, "\""));
  RawFile opened;
  opened.path_ = path;
  opened.name_.reset(sqlite3_create_filename(path.c_str(), absl::StrCat(path, "-journal").c_str(),
                                             absl::StrCat(path, "-wal").c_str(), 0, nullptr));
  opened.file_.reset(
      static_cast<sqlite3_file*>(std::calloc(1, static_cast<size_t>(system->szOsFile))));
  if (opened.name_ == nullptr || opened.file_ == nullptr) {
    return absl::ResourceExhaustedError("out of memory");
  }
  const char* database_name = opened.name_.get();
  const char* name = log ? sqlite3_filename_wal(database_name) : database_name;
  const int kind = log ? SQLITE_OPEN_WAL : SQLITE_OPEN_MAIN_DB;
  int flags = 0;
  const int code =
      system->xOpen(system, name, opened.file_.get(), SQLITE_OPEN_READONLY | kind, &flags);
  if (code == SQLITE_OK) return opened;
  if ((code & 0xff) == SQLITE_CANTOPEN) {
    const std::string reason = access(path.c_str(), R_OK) != 0
                                   ? std::string(std::strerror(errno))
                                   : absl::StrCat("SQLite ", code);
    return absl::PermissionDeniedError(absl::StrCat(path, " cannot be read: ", reason));
  }
  return StatusOfResultCode(code, path, "cannot be read");
}

absl::StatusOr<RawFile> RawFile::OpenDatabase(const std::string& path, const std::string& vfs) {
  return Open(path, vfs, /*log=*/false);
}

absl::StatusOr<RawFile> RawFile::OpenLog(const std::string& path, const std::string& vfs) {
  return Open(path, vfs, /*log=*/true);
}

absl::StatusOr<int64_t> RawFile::Size() const {
  sqlite3_int64 size = 0;
  const int code = file_->pMethods->xFileSize(file_.get(), &size);
  if (code != SQLITE_OK) return StatusOfResultCode(code, path_, "its size cannot be read");
  return size;
}

absl::StatusOr<std::string> RawFile::Read(int64_t offset, int size) const {
  std::string bytes(static_cast<size_t>(size), '\0');
  const int code = file_->pMethods->xRead(file_.get(), bytes.data(), size, offset);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
    return StatusOfResultCode(code, path_, "cannot be read");
  }
  return bytes;
}

}  // namespace slipstream::sqlite
