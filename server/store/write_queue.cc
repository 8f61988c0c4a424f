#include "server/store/write_queue.h"

#include <algorithm>
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
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) {
      Refuse(std::move(write), absl::UnavailableError("the store is closing"));
    } else if (unanswered_ >= most) {
      Refuse(std::move(write), OverloadError(absl::StrCat(
                                   "the server is busy: the limit of ", options_.max_waiting,
                                   " changes that wait is reached; repeat the call later")));
    } else {
      waiting_.push_back(std::move(write));
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
void WriteQueue::Refuse(std::unique_ptr<PendingWrite> write, absl::Status status) {
  answered_.push_back({std::move(write), std::move(status)});
  ++unanswered_;
  answers_.notify_one();
}

std::vector<std::unique_ptr<PendingWrite>> WriteQueue::TakeBatch() {
  const size_t size = std::min(waiting_.size(), options_.max_per_commit);
  std::vector<std::unique_ptr<PendingWrite>> batch;
  batch.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return batch;
}

void WriteQueue::CommitBatch(std::vector<std::unique_ptr<PendingWrite>> batch) {
  writes_per_commit_.Observe(static_cast<double>(batch.size()));
  std::vector<absl::Status> statuses = CommitTogether(database_, batch);
  std::vector<Answered> answered;
  for (size_t i = 0; i < batch.size(); ++i) {
    answered.push_back({std::move(batch[i]), std::move(statuses[i])});
  }
  {
    const std::lock_guard lock(mutex_);
    const bool is_quick = answered.size() <= kFewAnswers && waiting_.empty();
    if (!is_quick || answering_ || !answered_.empty()) {
      for (Answered& each : answered) answered_.push_back(std::move(each));
      answered.clear();
    } else {
      answering_ = true;
    }
  }
  answered.empty() ? answers_.notify_one() : Answer(std::move(answered));
}

void WriteQueue::Answer(std::vector<Answered> answered) {
  for (const Answered& each : answered) GiveAnswer(*each.write, each.status);
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
      std::vector<std::unique_ptr<PendingWrite>> batch = TakeBatch();
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
    std::vector<Answered> answered;
    answered.swap(answered_);
    answering_ = true;
    lock.unlock();
    Answer(std::move(answered));
    lock.lock();
  }
}

}  // namespace slipstream
