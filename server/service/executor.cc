#include "server/service/executor.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

// Of so many tasks that start while both kinds wait, one is a later turn.
constexpr int kStartsOfALaterTurn = 4;

}  // namespace

struct Executor::Pool {
  explicit Pool(int count) : threads(static_cast<size_t>(count)) {}

  void Add(std::function<void()> task, Turn turn) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      (turn == Turn::kFirst ? first : later).push_back(std::move(task));
    }
    waiting.fetch_add(1, std::memory_order_relaxed);
    boost::asio::post(threads, [this] { Take()(); });
  }

  // As many tasks are there as threads were told of.
  std::function<void()> Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    const bool is_later = first.empty() || (!later.empty() && ++starts % kStartsOfALaterTurn == 0);
    std::deque<std::function<void()>>& queue = is_later ? later : first;
    std::function<void()> task = std::move(queue.front());
    queue.pop_front();
    waiting.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }

  std::mutex mutex;
  std::deque<std::function<void()>> first;
  std::deque<std::function<void()>> later;
  int starts = 0;  // While both kinds waited.
  std::atomic<size_t> waiting{0};
  boost::asio::thread_pool threads;  // Last: its threads use the rest.
};

Executor::Executor(std::string name, int threads, size_t max_waiting)
    : name_(std::move(name)), max_waiting_(max_waiting), pool_(std::make_unique<Pool>(threads)) {}

Executor::~Executor() { pool_->threads.join(); }

absl::Status Executor::Run(std::function<void()> task, Turn turn) {
  if (pool_->waiting.load(std::memory_order_relaxed) >= max_waiting_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the server is busy: ", max_waiting_, " ", name_, " are waiting already"));
  }
  Continue(std::move(task), turn);
  return absl::OkStatus();
}

void Executor::Continue(std::function<void()> task, Turn turn) {
  pool_->Add(std::move(task), turn);
}

}  // namespace slipstream
