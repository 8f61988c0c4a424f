// Writes wait here for the one thread that commits them, all that wait
// together in one commit, and for their answers.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_QUEUE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace slipstream::sqlite {

class WriteSession;

// One write on its way to a commit.
class PendingWrite {
 public:
  virtual ~PendingWrite() = default;

  // Runs in a transaction. Looks before it writes, so that a refusal (a status
  // that does not come from a failure of `session`'s connection) leaves nothing
  // behind. May be called again after the transaction has been rolled back.
  virtual absl::Status Apply(WriteSession& session) = 0;

  // Called once, after the last Apply, with what became of the write.
  virtual void Answer(absl::Status status) = 0;
};

using WriteBatch = absl::Span<const std::unique_ptr<PendingWrite>>;

// What the writing thread does. Called from that thread alone.
class WriteExecutor {
 public:
  virtual ~WriteExecutor() = default;

  // Makes the writes of `batch` durable; element i of the result says what
  // became of write i.
  virtual std::vector<absl::Status> Commit(WriteBatch batch) = 0;

  // Does a little of what is better done while nothing waits; false when
  // nothing of it is left.
  virtual bool Rest() = 0;
};

struct WriteQueueOptions {
  // Writes that are not answered yet; more are refused.
  size_t max_waiting = 10000;
  size_t max_per_commit = 512;
  // Answer on the writing thread rather than on one of its own. Saves a
  // change of threads per commit; the next commit then waits for the answers.
  bool answer_on_writing_thread = false;
};

// Thread-safe.
class WriteQueue {
 public:
  // `executor` must outlive the queue.
  WriteQueue(WriteExecutor* executor, WriteQueueOptions options);
  // As Close.
  ~WriteQueue();

  // The write is answered once, by a thread of the queue, in the order of
  // commits: RESOURCE_EXHAUSTED if too many wait, UNAVAILABLE during Close.
  void Submit(std::unique_ptr<PendingWrite> write);

  // Commits what waits, refuses what comes, returns when all is answered.
  // Not to be called by an answer, and the last call of all.
  void Close();

 private:
  struct Answered {
    std::unique_ptr<PendingWrite> write;
    absl::Status status;
  };

  void WriteUntilClosed();
  void AnswerUntilClosed();
  std::vector<std::unique_ptr<PendingWrite>> TakeBatch();
  void CommitBatch(std::vector<std::unique_ptr<PendingWrite>> batch);
  void Refuse(std::unique_ptr<PendingWrite> write, absl::Status status);
  // Answers all there is to answer; false if that was nothing.
  bool AnswerAll(std::unique_lock<std::mutex>& lock);

  WriteExecutor* const executor_;
  const WriteQueueOptions options_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable answers_;
  std::deque<std::unique_ptr<PendingWrite>> waiting_;
  std::vector<Answered> answered_;
  size_t unanswered_ = 0;  // Accepted and not answered.
  bool writer_sleeps_ = false;
  bool closing_ = false;
  bool writer_done_ = false;

  std::thread writer_;
  std::thread answerer_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_QUEUE_H_
