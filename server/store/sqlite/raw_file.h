// Reads a database file's bytes through SQLite's VFS. Opening and closing it with
// the system's own calls would release the locks that other connections of this
// process hold on it.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_RAW_FILE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_RAW_FILE_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream::sqlite {

// Whether anything exists at `path`.
bool FileExists(const std::string& path);

class RawFile {
 public:
  // Opens the database file at `path` for reading. `vfs` empty: the default.
  static absl::StatusOr<RawFile> OpenDatabase(const std::string& path, const std::string& vfs);
  // Opens the write-ahead log of the database at `path`.
  static absl::StatusOr<RawFile> OpenLog(const std::string& path, const std::string& vfs);

  absl::StatusOr<int64_t> Size() const;
  // Exactly `size` bytes; those beyond the end of the file are zeros.
  absl::StatusOr<std::string> Read(int64_t offset, int size) const;

 private:
  struct Closer {
    void operator()(sqlite3_file* file) const;
  };
  struct NameDeleter {
    void operator()(const char* name) const;
  };

  static absl::StatusOr<RawFile> Open(const std::string& path, const std::string& vfs, bool log);

  std::string path_;
  std::unique_ptr<const char, NameDeleter> name_;  // The open file refers to it.
  std::unique_ptr<sqlite3_file, Closer> file_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_RAW_FILE_H_
