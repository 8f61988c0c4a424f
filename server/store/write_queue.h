// The queue of writes: one thread commits them to the database, as many as are
// waiting in one transaction, and another one answers them. Where few are written and
// none waits, the first thread answers: to wake the other one would take longer.
#ifndef SLIPSTREAM_SERVER_STORE_WRITE_QUEUE_H_
#define SLIPSTREAM_SERVER_STORE_WRITE_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "server/figures/histogram.h"
#include "server/store/database.h"
#include "server/store/pending_write.h"

namespace slipstream {

struct WriteQueueOptions {
  size_t max_waiting;  // Writes without an answer; more are refused.
  size_t max_per_commit;
};

// Thread-safe.
class WriteQueue {
 public:
  // `database` must outlive the queue.
  WriteQueue(Database* database, WriteQueueOptions options);
  // Calls Close.
  ~WriteQueue();

  // The write is answered once, by a thread of the queue, in the order of
  // commits: RESOURCE_EXHAUSTED if too many wait, UNAVAILABLE during Close. If this throws
  // std::bad_alloc, it is not made, and not answered.
  void Submit(std::unique_ptr<PendingWrite> write);
  // The same however many wait: for what undoes an earlier write. There are no more of these than
  // of others.
  void SubmitCleanup(std::unique_ptr<PendingWrite> write);

  // Calls `listener`, which must not throw, after each commit's answers, on their thread. Returns
  // once the listener before is no longer called; must not be called by a listener.
  void SetListener(std::function<void()> listener);

  // How many writes shared a commit, and how many have no answer yet.
  HistogramFigures WritesPerCommit() const { return writes_per_commit_.Figures(); }
  int64_t unanswered();

  // Commits the waiting writes, refuses new ones, and returns when all are
  // answered. Must not be called by an answer, and must be the last call.
  void Close();

 private:
  void SubmitUpTo(size_t most, std::unique_ptr<PendingWrite> write);
  void CallListener();
  void WriteUntilClosed();
  void AnswerUntilClosed();
  // The threads of the queue allocate nothing themselves.
  WriteBatch TakeBatch();
  void CommitBatch(WriteBatch batch);
  // Gives the answers with `answering_` set, and clears it.
  void Answer(WriteBatch answered);
  void Refuse(WriteBatch& write, absl::Status status);

  Database& database_;
  const WriteQueueOptions options_;
  Histogram writes_per_commit_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable answers_;
  WriteBatch waiting_;
  WriteBatch answered_;
  size_t unanswered_ = 0;   // Submitted and not answered.
  bool answering_ = false;  // One of the threads gives answers, so that the other one waits.
  bool writer_sleeps_ = false;
  bool closing_ = false;
  bool writer_done_ = false;

  std::mutex listener_mutex_;
  std::function<void()> listener_;  // Guarded by listener_mutex_, also while it is called.

  std::thread writer_;
  std::thread answerer_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_WRITE_QUEUE_H_
