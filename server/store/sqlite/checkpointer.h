// Moves what the write-ahead log has gathered into the database file, so that
// the log stays bounded while writes never stop.
//
// SQLite starts the log over only when all of it has been moved and no commit
// came between. A thread therefore moves the bulk while the writing thread goes
// on, and the writing thread then moves the few pages that came meanwhile. Only
// when the log gets long in spite of that (somebody reads an old snapshot for
// long) does the writing thread wait for readers.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_CHECKPOINTER_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_CHECKPOINTER_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

struct CheckpointerOptions {
  // The log is moved each time it has grown by so many pages.
  int pages = 4000;
  // With more than this in the log the writing thread waits for the other one
  // and, for a moment, for readers.
  int most_pages = 16384;
};

class Checkpointer {
 public:
  // `writer` must outlive this; `own` is a connection to the same file.
  Checkpointer(Connection* writer, std::unique_ptr<Connection> own, CheckpointerOptions options);
  // As Close(false).
  ~Checkpointer();

  // On the writing thread, between transactions. False after a disk failure:
  // nothing more should be written.
  bool AfterCommit();

  // When neither reads nor writes are left. Moves the whole log, unless the
  // disk is not `sound`: then it stays for the next one to open the file.
  void Close(bool sound);

 private:
  enum class Next { kNothing, kFinish, kHalt };

  static int NoteCommit(void* self, sqlite3* database, const char* name, int pages);
  void RunUntilClosed();
  Next LookAtThread();
  // Moves all of the log and makes it start over, unless a reader is in the way.
  bool StartOver();
  // Whether the disk is still sound after a call that gave `code`.
  bool NoteResult(int code);

  Connection& writer_;
  std::unique_ptr<Connection> own_;
  const CheckpointerOptions options_;

  // Of the writing thread.
  int log_pages_ = 0;  // After the last commit.
  int asked_at_ = 0;   // Length of the log when the thread was last asked.
  int waited_at_ = 0;  // And when readers were last waited for.

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  bool asked_ = false;  // And not finished.
  bool moved_most_ = false;
  bool disk_failed_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_CHECKPOINTER_H_
