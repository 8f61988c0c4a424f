#include "server/service/executor.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// While both kinds of tasks wait, one in this many that are started is a later turn.
constexpr int kStartsOfALaterTurn = 4;

}  // namespace

class Executor::Pool {
 public:
  Pool(int count, int spare, const std::function<void()>& on_thread) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, on_thread] {
        if (on_thread) on_thread();
        Work(/*is_spare=*/false);
      });
    }
    for (int i = 0; i < spare; ++i) threads_.emplace_back([this] { Work(/*is_spare=*/true); });
  }
  // Returns when all tasks have run, also those that tasks have added meanwhile.
  void Join() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    WakeAll();
    for (std::thread& thread : threads_) thread.join();
  }

  size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

  void Add(std::function<void()> task, Turn turn) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      (turn == Turn::kFirst ? first_ : later_).push_back(std::move(task));
      waiting_.fetch_add(1, std::memory_order_relaxed);
    }
    // The spare thread first, as its priority may be higher.
    if (turn == Turn::kFirst) first_turns_.notify_one();
    work_.notify_one();
  }

 private:
  void Work(bool is_spare) {
    std::condition_variable& woken = is_spare ? first_turns_ : work_;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      woken.wait(lock, [&] { return HasWork(is_spare) || IsOver(); });
      if (!HasWork(is_spare)) return;
      std::function<void()> task = Take(is_spare);
      ++running_;
      lock.unlock();
      task();
      task = nullptr;  // What it holds may take long to destroy.
      lock.lock();
      --running_;
      if (IsOver()) WakeAll();
    }
  }

  bool HasWork(bool is_spare) const { return !first_.empty() || (!is_spare && !later_.empty()); }
  bool IsOver() const { return closing_ && running_ == 0 && first_.empty() && later_.empty(); }
  void WakeAll() {
    work_.notify_all();
    first_turns_.notify_all();
  }

  std::function<void()> Take(bool is_spare) {
    const bool is_later =
        first_.empty() || (!is_spare && !later_.empty() && ++starts_ % kStartsOfALaterTurn == 0);
    std::deque<std::function<void()>>& queue = is_later ? later_ : first_;
    std::function<void()> task = std::move(queue.front());
    queue.pop_front();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable first_turns_;  // Spare threads wait here.
  std::deque<std::function<void()>> first_;
  std::deque<std::function<void()>> later_;
  int starts_ = 0;   // While both kinds waited.
  int running_ = 0;  // Tasks.
  bool closing_ = false;
  std::atomic<size_t> waiting_{0};
  std::vector<std::thread> threads_;  // Last: they use the rest.
};

Executor::Executor(std::string name, int threads, size_t max_waiting, int spare_threads,
                   const std::function<void()>& on_thread)
    : name_(std::move(name)),
      max_waiting_(max_waiting),
      pool_(std::make_unique<Pool>(threads, spare_threads, on_thread)) {}

Executor::~Executor() { pool_->Join(); }

absl::Status Executor::Run(std::function<void()> task, Turn turn) {
  if (pool_->waiting() >= max_waiting_) {
    return OverloadError(
        absl::StrCat("the server is busy: the limit of ", max_waiting_, " ", name_,
                     " that wait is reached; repeat the call later"));
  }
  Continue(std::move(task), turn);
  return absl::OkStatus();
}

size_t Executor::waiting() const { return pool_->waiting(); }

void Executor::Continue(std::function<void()> task, Turn turn) {
  pool_->Add(std::move(task), turn);
}

}  // namespace slipstream
