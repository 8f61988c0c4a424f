#include "server/store/write_queue.h"

#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/store/group_commit.h"

namespace slipstream {
namespace {

// Gives the answer or, if there is too little memory for it, that error instead.
void GiveAnswer(PendingWrite& write, const absl::Status& status) {
  const absl::Status given = OrOutOfMemory([&] {
    write.Answer(status);
    return absl::OkStatus();
  });
  if (!given.ok()) write.Answer(given);
}

// So many answers at most delay the next commit by less than waking a thread does.
constexpr size_t kFewAnswers = 4;

}  // namespace

WriteQueue::WriteQueue(Database* database, WriteQueueOptions options)
    : database_(*database),
      options_(options),
      writes_per_commit_({1, 2, 4, 8, 16, 32, 64, 128, 256, 512}) {
  writer_ = std::thread([this] { WriteUntilClosed(); });
  answerer_ = std::thread([this] { AnswerUntilClosed(); });
}

WriteQueue::~WriteQueue() { Close(); }

void WriteQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_one();
  if (writer_.joinable()) writer_.join();
  if (answerer_.joinable()) answerer_.join();
}

void WriteQueue::Submit(std::unique_ptr<PendingWrite> write) {
  SubmitUpTo(options_.max_waiting, std::move(write));
}

void WriteQueue::SubmitCleanup(std::unique_ptr<PendingWrite> write) {
  SubmitUpTo(std::numeric_limits<size_t>::max(), std::move(write));
}

void WriteQueue::SubmitUpTo(size_t most, std::unique_ptr<PendingWrite> write) {
  WriteBatch submitted;
  submitted.push_back({std::move(write), absl::OkStatus()});
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) {
      Refuse(submitted, absl::UnavailableError("the store is closing"));
    } else if (unanswered_ >= most) {
      Refuse(submitted,
             OverloadError(absl::StrCat("the server is busy: the limit of ", options_.max_waiting,
                                        " changes that wait is reached; repeat the call later")));
    } else {
      waiting_.splice(waiting_.end(), submitted);
      ++unanswered_;
    }
    wake = std::exchange(writer_sleeps_, false);
  }
  if (wake) work_.notify_one();
}

int64_t WriteQueue::unanswered() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(unanswered_);
}

void WriteQueue::SetListener(std::function<void()> listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

void WriteQueue::CallListener() {
  const std::lock_guard lock(listener_mutex_);
  if (listener_) listener_();
}

// Refusals too are answered by the answering thread: the submitting one may hold
// locks.
void WriteQueue::Refuse(WriteBatch& write, absl::Status status) {
  write.front().status = std::move(status);
  answered_.splice(answered_.end(), write);
  ++unanswered_;
  answers_.notify_one();
}

WriteBatch WriteQueue::TakeBatch() {
  WriteBatch batch;
  if (waiting_.size() <= options_.max_per_commit) {
    batch.swap(waiting_);
  } else {
    const auto end = std::next(waiting_.begin(), static_cast<long>(options_.max_per_commit));
    batch.splice(batch.end(), waiting_, waiting_.begin(), end);
  }
  return batch;
}

void WriteQueue::CommitBatch(WriteBatch batch) {
  writes_per_commit_.Observe(static_cast<double>(batch.size()));
  CommitTogether(database_, batch);
  {
    const std::lock_guard lock(mutex_);
    const bool is_quick = batch.size() <= kFewAnswers && waiting_.empty();
    if (!is_quick || answering_ || !answered_.empty()) {
      answered_.splice(answered_.end(), batch);
    } else {
      answering_ = true;
    }
  }
  batch.empty() ? answers_.notify_one() : Answer(std::move(batch));
}

void WriteQueue::Answer(WriteBatch answered) {
  for (const SubmittedWrite& each : answered) GiveAnswer(*each.write, each.status);
  const size_t count = answered.size();
  answered.clear();
  CallListener();
  const std::lock_guard lock(mutex_);
  unanswered_ -= count;
  answering_ = false;
  if (!answered_.empty()) answers_.notify_one();
}

void WriteQueue::WriteUntilClosed() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!waiting_.empty()) {
      WriteBatch batch = TakeBatch();
      lock.unlock();
      CommitBatch(std::move(batch));
      lock.lock();
      continue;
    }
    if (closing_) break;
    lock.unlock();
    const bool more_to_do = database_.OnIdle();
    lock.lock();
    if (more_to_do) continue;
    while (waiting_.empty() && !closing_) {
      writer_sleeps_ = true;
      work_.wait(lock);
    }
    writer_sleeps_ = false;
  }
  writer_done_ = true;
  answers_.notify_one();
}

void WriteQueue::AnswerUntilClosed() {
  std::unique_lock lock(mutex_);
  while (true) {
    answers_.wait(lock, [this] { return writer_done_ || (!answered_.empty() && !answering_); });
    if (answered_.empty()) return;
    WriteBatch answered;
    answered.swap(answered_);
    answering_ = true;
    lock.unlock();
    Answer(std::move(answered));
    lock.lock();
  }
}

}  // namespace slipstream
