// Checkpoints: moves the pages of the write-ahead log into the database file, so
// that the log stays bounded while writes go on.
//
// SQLite restarts the log only when all of it has been moved and no commit came
// between. A thread therefore moves most of it while the writing thread goes on,
// and the writing thread then moves the few pages added meanwhile. Only when the
// log grows long nevertheless, because of a long read of an old snapshot, does
// the writing thread wait for readers.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_CHECKPOINTER_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_CHECKPOINTER_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

struct CheckpointerOptions {
  // The log is moved each time it has grown by this many pages.
  int pages = 4000;
  // When the log is longer, the writing thread waits for the checkpoint thread
  // and, for a moment, for readers.
  int most_pages = 16384;
  // Called after each time that the log was moved, by the thread that did, unless it is empty.
  std::function<void()> after_move = {};
};

class Checkpointer {
 public:
  // `writer` must outlive this; `own` is a connection to the same file.
  Checkpointer(Connection* writer, std::unique_ptr<Connection> own, CheckpointerOptions options);
  // Calls Close(false), unless Close has been called.
  ~Checkpointer();

  // Called by the writing thread between transactions. After a disk failure or damage,
  // which it returns, nothing more should be written.
  absl::Status AfterCommit();

  // Called by the writing thread between transactions. Moves all of the log, so that the next
  // transaction overwrites it from its beginning, unless a reader prevents that, which is waited
  // for for a moment. Fails as AfterCommit does.
  absl::Status StartOver();

  // Called when all reads and writes are done. Moves the whole log and marks the file as closed
  // (file_mark.h); if the disk is not `sound` or another process reads the file, leaves the log to
  // the next process that opens the file.
  void Close(bool sound);

 private:
  enum class Next { kNothing, kFinish, kHalt };

  static int NoteCommit(void* self, sqlite3* database, const char* name, int pages);
  void RunUntilClosed();
  // Moves the log in SQLite's `mode`; the result code.
  int Move(Connection& connection, int mode);
  Next LookAtThread();
  // The failure of the disk so far, given the result code of a checkpoint.
  absl::Status NoteResult(int code);
  // With the mutex held.
  void NoteFailure(int code);

  Connection& writer_;
  std::unique_ptr<Connection> own_;
  const CheckpointerOptions options_;

  // Used by the writing thread only.
  int log_pages_ = 0;  // After the last commit.
  int asked_at_ = 0;   // Length of the log when the thread was last asked.
  int waited_at_ = 0;  // Its length when readers were last waited for.

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  bool asked_ = false;  // The thread has been asked and has not finished.
  bool moved_most_ = false;
  absl::Status disk_failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_CHECKPOINTER_H_
