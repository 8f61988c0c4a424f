#include "server/store/sqlite/write_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace slipstream::sqlite {
namespace {

using testing::ElementsAre;

// Commits nothing; holds commits until they are let go.
class HeldExecutor : public WriteExecutor {
 public:
  std::vector<absl::Status> Commit(WriteBatch batch) override {
    std::unique_lock lock(mutex_);
    sizes_.push_back(batch.size());
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    return std::vector<absl::Status>(batch.size());
  }
  bool Rest() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(rest_left_, rest_left_ > 0 ? rest_left_ - 1 : 0) > 1;
  }

  void LetAll() { Change([this] { open_ = true; }); }
  void SetRest(int rounds) { Change([this, rounds] { rest_left_ = rounds; }); }
  void AwaitCommit(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  std::vector<size_t> sizes() {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }
  int rest_left() {
    const std::lock_guard lock(mutex_);
    return rest_left_;
  }

 private:
  template <typename Body>
  void Change(Body body) {
    const std::lock_guard lock(mutex_);
    body();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<size_t> sizes_;
  int rest_left_ = 0;
  bool open_ = false;
};

class RecordedWrite : public PendingWrite {
 public:
  explicit RecordedWrite(std::function<void(absl::Status)> done) : done_(std::move(done)) {}
  absl::Status Apply(WriteSession&) override { return absl::OkStatus(); }
  void Answer(absl::Status status) override { done_(std::move(status)); }

 private:
  std::function<void(absl::Status)> done_;
};

class WriteQueueTest : public testing::TestWithParam<bool> {
 protected:
  void Start(size_t max_waiting, size_t max_per_commit) {
    WriteQueueOptions options;
    options.max_waiting = max_waiting;
    options.max_per_commit = max_per_commit;
    options.answer_on_writing_thread = GetParam();
    queue_ = std::make_unique<WriteQueue>(&executor_, options);
  }
  void Submit() {
    queue_->Submit(std::make_unique<RecordedWrite>([this](absl::Status status) {
      const std::lock_guard lock(mutex_);
      codes_.push_back(status.code());
      answered_.notify_all();
    }));
  }
  void AwaitAnswers(size_t count) {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return codes_.size() >= count; });
  }
  std::vector<absl::StatusCode> codes() {
    const std::lock_guard lock(mutex_);
    return codes_;
  }

  HeldExecutor executor_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<absl::StatusCode> codes_;
  std::unique_ptr<WriteQueue> queue_;
};

constexpr auto kOk = absl::StatusCode::kOk;
constexpr auto kResourceExhausted = absl::StatusCode::kResourceExhausted;

INSTANTIATE_TEST_SUITE_P(Answering, WriteQueueTest, testing::Bool(), [](const auto& on_writer) {
  return on_writer.param ? "OnTheWritingThread" : "OnItsOwnThread";
});

TEST_P(WriteQueueTest, WhatWaitsDuringACommitSharesTheNext) {
  Start(100, 4);
  Submit();
  executor_.AwaitCommit(1);
  for (int i = 0; i < 6; ++i) Submit();
  executor_.LetAll();
  AwaitAnswers(7);
  EXPECT_THAT(executor_.sizes(), ElementsAre(1, 4, 2));
}

TEST_P(WriteQueueTest, TooManyWritesAreRefusedUntilSomeAreAnswered) {
  Start(2, 10);
  Submit();
  executor_.AwaitCommit(1);
  Submit();
  Submit();
  if (!GetParam()) {
    // The thread of the answers is free although the commit is not.
    AwaitAnswers(1);
    EXPECT_THAT(codes(), ElementsAre(kResourceExhausted));
  }
  executor_.LetAll();
  AwaitAnswers(3);
  EXPECT_EQ(std::count(codes_.begin(), codes_.end(), kOk), 2);
  // Answers are counted off after they have been given.
  size_t submitted = 3;
  do {
    Submit();
    AwaitAnswers(++submitted);
  } while (codes().back() != kOk);
}

TEST_P(WriteQueueTest, ClosingCommitsWhatWaits) {
  Start(100, 2);
  Submit();
  executor_.AwaitCommit(1);
  for (int i = 0; i < 4; ++i) Submit();
  std::thread closing([this] { queue_->Close(); });
  executor_.LetAll();
  closing.join();
  EXPECT_THAT(codes_, ElementsAre(kOk, kOk, kOk, kOk, kOk));
}

TEST_P(WriteQueueTest, AnAnswerMaySubmit) {
  Start(100, 10);
  executor_.LetAll();
  queue_->Submit(std::make_unique<RecordedWrite>([this](absl::Status) { Submit(); }));
  AwaitAnswers(1);
  EXPECT_THAT(codes(), ElementsAre(kOk));
}

// An answer that is given while the queue closes submits once more.
TEST_P(WriteQueueTest, WhatIsSubmittedWhileClosingIsStillAnswered) {
  Start(100, 10);
  queue_->Submit(std::make_unique<RecordedWrite>([this](absl::Status) { Submit(); }));
  executor_.AwaitCommit(1);
  std::thread closing([this] { queue_->Close(); });
  executor_.LetAll();
  closing.join();
  ASSERT_EQ(codes_.size(), 1u);
  // Whether it came before or after the end of writing is the threads' matter.
  EXPECT_TRUE(codes_[0] == kOk || codes_[0] == absl::StatusCode::kUnavailable);
}

TEST_P(WriteQueueTest, AQueueWithoutWorkRestsUntilNothingIsLeftOfIt) {
  executor_.SetRest(5);
  executor_.LetAll();
  Start(100, 10);
  while (executor_.rest_left() > 0) std::this_thread::yield();
  Submit();
  AwaitAnswers(1);
  EXPECT_EQ(executor_.rest_left(), 0);
}

}  // namespace
}  // namespace slipstream::sqlite
