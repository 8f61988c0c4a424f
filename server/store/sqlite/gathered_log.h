// Gathers what SQLite writes to the write-ahead log: a layer over another VFS that writes with one
// call what SQLite hands over in two for each page of a commit.
//
//   GatheredLog log(/*vfs=*/"");
//   auto connection = Connection::Open(path, flags, log.vfs());
//
// It can also be told which commits there is room for: what is written of one says how large the
// database is after it, without a statement that SQLite compiles anew each time.
//
// What is gathered is written when the log is synced, as every commit does with synchronous = FULL,
// and before anything else is done with the file. With less, other connections could look for a
// commit in the file that is still in memory: so a connection that writes has to sync its commits.
//
// A file is as thread-safe as the connection that has it open. Destroy the layer after all
// connections that use it.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_GATHERED_LOG_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_GATHERED_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "server/store/sqlite/vfs_layer.h"

namespace slipstream::sqlite {

class GatheredLog {
 public:
  // Over the VFS called `vfs`, or the default one. If there is none of that name, opening a
  // connection says so.
  explicit GatheredLog(const std::string& vfs) : layer_("gathered-log", vfs, *this) {}

  const std::string& vfs() const { return layer_.name(); }

  // `takes_room`, a function of the number of pages that the database has after a commit, is asked
  // before the commit can be found in the log. If it returns false, the commit fails with
  // SQLITE_FULL. Set while no connection commits.
  void SetRoom(std::function<bool(int64_t pages)> takes_room) {
    takes_room_ = std::move(takes_room);
  }

 private:
  // The write-ahead log; other files are the base's alone.
  struct LogFile : PassingFile<LogFile> {
    LogFile(GatheredLog& owner, int /*open_flags*/) : log(owner) {}

    static bool IsOfLayer(int open_flags) { return (open_flags & SQLITE_OPEN_WAL) != 0; }
    int Close();
    int Read(void* bytes, int size, sqlite3_int64 offset);
    int Write(const void* bytes, int size, sqlite3_int64 offset);
    int Truncate(sqlite3_int64 size);
    int Sync(int flags);
    int FileSize(sqlite3_int64* size);

    // Whether SQLite syncs a commit after all that it writes of it: on other disks, it writes some
    // more, lest the next commit damage this one.
    bool SyncsLast();
    // Writes what is gathered. Where that fails it is forgotten, as SQLite forgets a write that
    // fails: the transaction is rolled back.
    int Flush();

    const GatheredLog& log;
    char* gathered = nullptr;  // Null until something is written, or if nothing is gathered.
    int size = 0;
    sqlite3_int64 offset = 0;  // Where the gathered bytes begin in the file.
  };

  std::function<bool(int64_t)> takes_room_ = [](int64_t) { return true; };
  VfsLayer<LogFile, GatheredLog> layer_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_GATHERED_LOG_H_
