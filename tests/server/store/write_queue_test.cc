#include "server/store/write_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "tests/server/store/store_contract.h"
#include "tests/testing/allocation_limit.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using testing::ElementsAre;

// Holds transactions until they are let go.
class HeldDatabase : public Database {
 public:
  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override {
    {
      std::unique_lock lock(mutex_);
      ++begun_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
    }
    return memory_->Transact(body);
  }
  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override {
    return memory_->Read(body);
  }
  bool OnIdle() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(idle_left_, idle_left_ > 0 ? idle_left_ - 1 : 0) > 1;
  }

  void LetAll() {
    Change([this] { open_ = true; });
  }
  void SetIdleWork(int rounds) {
    Change([this, rounds] { idle_left_ = rounds; });
  }
  void AwaitTransaction(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  int idle_left() {
    const std::lock_guard lock(mutex_);
    return idle_left_;
  }

 private:
  template <typename Body>
  void Change(Body body) {
    const std::lock_guard lock(mutex_);
    body();
    changed_.notify_all();
  }

  const std::unique_ptr<Database> memory_ = MakeMemoryDatabase();
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int idle_left_ = 0;
  bool open_ = false;
};

// After a transaction, the writing thread has no memory until nothing waits.
class DatabaseWithoutMemory : public Database {
 public:
  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override {
    limit_.reset();
    const TransactionEnd end = memory_->Transact(body);
    limit_.emplace(0);
    return end;
  }
  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override {
    return memory_->Read(body);
  }
  bool OnIdle() override {
    limit_.reset();
    return false;
  }

 private:
  static thread_local std::optional<AllocationLimit> limit_;

  const std::unique_ptr<Database> memory_ = MakeMemoryDatabase();
};

thread_local std::optional<AllocationLimit> DatabaseWithoutMemory::limit_;

class RecordedWrite : public PendingWrite {
 public:
  RecordedWrite(std::function<void()> apply, std::function<void(absl::Status)> done)
      : apply_(std::move(apply)), done_(std::move(done)) {}
  absl::Status Apply(RowTransaction&) override {
    apply_();
    return absl::OkStatus();
  }
  void Answer(absl::Status status) override { done_(std::move(status)); }

 private:
  std::function<void()> apply_;
  std::function<void(absl::Status)> done_;
};

class WriteQueueTest : public testing::Test {
 protected:
  void Start(size_t max_waiting, size_t max_per_commit) {
    const WriteQueueOptions options = {max_waiting, max_per_commit};
    queue_ = std::make_unique<WriteQueue>(&database_, options);
  }
  void Submit() {
    Submit([this](absl::Status status) {
      const std::lock_guard lock(mutex_);
      codes_.push_back(status.code());
      if (!status.ok()) refusal_ = std::string(status.message());
      answered_.notify_all();
    });
  }
  void Submit(std::function<void(absl::Status)> done) {
    // Called by the writing thread, which the transaction's number identifies.
    const auto apply = [this] { transactions_.push_back(database_.begun()); };
    queue_->Submit(std::make_unique<RecordedWrite>(apply, std::move(done)));
  }
  void AwaitAnswers(size_t count) {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return codes_.size() >= count; });
  }
  std::vector<absl::StatusCode> codes() {
    const std::lock_guard lock(mutex_);
    return codes_;
  }

  HeldDatabase database_;
  std::vector<int> transactions_;  // The number of each write's transaction.
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<absl::StatusCode> codes_;
  std::string refusal_;  // Of the last write that was refused.
  std::unique_ptr<WriteQueue> queue_;
};

TEST_F(WriteQueueTest, WritesThatWaitDuringACommitShareTheNextOne) {
  Start(100, 4);
  Submit();
  database_.AwaitTransaction(1);
  for (int i = 0; i < 6; ++i) Submit();
  database_.LetAll();
  AwaitAnswers(7);
  EXPECT_THAT(transactions_, ElementsAre(1, 2, 2, 2, 2, 3, 3));
  const HistogramFigures commits = queue_->WritesPerCommit();
  EXPECT_EQ(commits.count(), 3);
  EXPECT_EQ(commits.sum, 7);
}

TEST_F(WriteQueueTest, FewAnswersComeFromTheWritingThreadAndManyFromTheOther) {
  Start(100, 100);
  std::vector<std::thread::id> answering;
  const auto note = [&](absl::Status status) {
    const std::lock_guard lock(mutex_);
    answering.push_back(std::this_thread::get_id());
    codes_.push_back(status.code());
    answered_.notify_all();
  };
  Submit(note);
  database_.AwaitTransaction(1);
  for (int i = 0; i < 6; ++i) Submit(note);
  database_.LetAll();
  AwaitAnswers(7);  // The first had others waiting behind it.
  EXPECT_EQ(std::set<std::thread::id>(answering.begin(), answering.end()).size(), 1u);
  // The other thread may still be counting its answers when the next write is committed.
  size_t submitted = 7;
  do {
    Submit(note);
    AwaitAnswers(++submitted);
  } while (answering.back() == answering.front());
}

TEST_F(WriteQueueTest, TooManyWritesAreRefusedUntilSomeAreAnswered) {
  Start(2, 10);
  Submit();
  database_.AwaitTransaction(1);
  Submit();
  Submit();
  // The answering thread does not wait for the commit.
  AwaitAnswers(1);
  EXPECT_THAT(codes(), ElementsAre(kResourceExhausted));
  EXPECT_THAT(refusal_, testing::HasSubstr("the limit of 2 changes that wait is reached"));
  database_.LetAll();
  AwaitAnswers(3);
  EXPECT_EQ(std::count(codes_.begin(), codes_.end(), kOk), 2);
  // Writes stop counting a moment after their answers.
  size_t submitted = 3;
  do {
    Submit();
    AwaitAnswers(++submitted);
  } while (codes().back() != kOk);
}

TEST_F(WriteQueueTest, CleaningUpIsTakenHoweverManyWritesWait) {
  Start(1, 10);
  Submit();
  database_.AwaitTransaction(1);
  std::atomic<bool> is_clean = false;
  const auto clean = [&is_clean] { is_clean = true; };
  queue_->SubmitCleanup(std::make_unique<RecordedWrite>(clean, [](const absl::Status&) {}));
  Submit();
  AwaitAnswers(1);
  EXPECT_THAT(codes(), ElementsAre(kResourceExhausted));
  database_.LetAll();
  AwaitAnswers(2);
  queue_->Close();
  EXPECT_TRUE(is_clean);
}

TEST_F(WriteQueueTest, ClosingCommitsTheWaitingWrites) {
  Start(100, 2);
  Submit();
  database_.AwaitTransaction(1);
  for (int i = 0; i < 4; ++i) Submit();
  std::thread closing([this] { queue_->Close(); });
  database_.LetAll();
  closing.join();
  EXPECT_THAT(codes_, ElementsAre(kOk, kOk, kOk, kOk, kOk));
}

TEST_F(WriteQueueTest, AnAnswerForWhichThereIsTooLittleMemoryIsThatError) {
  Start(100, 10);
  database_.LetAll();
  std::vector<absl::Status> answers;
  Submit([&](absl::Status status) {
    answers.push_back(status);
    if (status.ok()) throw std::bad_alloc();
  });
  Submit();
  AwaitAnswers(1);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(IsOverload(answers[1])) << answers[1];
  EXPECT_THAT(codes(), ElementsAre(kOk));
}

TEST(WriteQueue, WhatIsCommittedIsAnsweredWithoutMemory) {
  DatabaseWithoutMemory database;
  WriteQueue queue(&database, {.max_waiting = 100, .max_per_commit = 10});
  for (int i = 0; i < 20; ++i) {
    std::promise<absl::Status> end;
    std::future<absl::Status> ended = end.get_future();
    queue.Submit(std::make_unique<RecordedWrite>(
        [] {}, [&end](absl::Status status) { end.set_value(std::move(status)); }));
    EXPECT_TRUE(ended.get().ok());
  }
}

TEST_F(WriteQueueTest, AnAnswerMaySubmit) {
  Start(100, 10);
  database_.LetAll();
  Submit([this](absl::Status) { Submit(); });
  AwaitAnswers(1);
  EXPECT_THAT(codes(), ElementsAre(kOk));
}

// An answer that is given while the queue closes submits one more write.
TEST_F(WriteQueueTest, AWriteSubmittedDuringCloseIsStillAnswered) {
  Start(100, 10);
  Submit([this](absl::Status) { Submit(); });
  database_.AwaitTransaction(1);
  std::thread closing([this] { queue_->Close(); });
  database_.LetAll();
  closing.join();
  ASSERT_EQ(codes_.size(), 1u);
  // Either is right: it depends on which thread comes first.
  EXPECT_TRUE(codes_[0] == kOk || codes_[0] == absl::StatusCode::kUnavailable);
}

TEST_F(WriteQueueTest, WhileNoWriteWaitsTheDatabaseDoesItsIdleWork) {
  database_.SetIdleWork(5);
  database_.LetAll();
  Start(100, 10);
  while (database_.idle_left() > 0) std::this_thread::yield();
  Submit();
  AwaitAnswers(1);
  EXPECT_EQ(database_.idle_left(), 0);
}

}  // namespace
}  // namespace slipstream
