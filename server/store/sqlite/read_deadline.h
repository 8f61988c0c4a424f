// Ends the reading of a database file at a given time. SQLite's own progress
// handler is called between instructions only, and the check of a large table is
// a single instruction.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_READ_DEADLINE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_READ_DEADLINE_H_

#include <sqlite3.h>

#include <chrono>

#include "absl/time/time.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// While it lives, reads of `connection`'s file fail once `limit` has passed.
// `connection` must outlive it and have no statement running at its end.
class ReadDeadline {
 public:
  ReadDeadline(Connection* connection, absl::Duration limit);
  ~ReadDeadline();

  ReadDeadline(const ReadDeadline&) = delete;
  ReadDeadline& operator=(const ReadDeadline&) = delete;

  // Whether a read has been stopped.
  bool exceeded() const { return exceeded_; }

 private:
  // The file's own methods, except for reading. `methods` comes first, so that a
  // file's pMethods points to this struct.
  struct Methods {
    sqlite3_io_methods methods;
    ReadDeadline* deadline;
  };

  static int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset);
  static int Progress(void* self);
  bool Passed();

  sqlite3* const database_;
  const std::chrono::steady_clock::time_point end_;
  sqlite3_file* file_ = nullptr;
  const sqlite3_io_methods* own_methods_ = nullptr;
  Methods methods_ = {};
  bool exceeded_ = false;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_READ_DEADLINE_H_
