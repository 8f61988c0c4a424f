#include "server/service/executor.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream {

struct Executor::Pool {
  explicit Pool(int count) : threads(static_cast<size_t>(count)) {}

  boost::asio::thread_pool threads;
  std::atomic<size_t> waiting{0};
};

Executor::Executor(std::string name, int threads, size_t max_waiting)
    : name_(std::move(name)), max_waiting_(max_waiting), pool_(std::make_unique<Pool>(threads)) {}

Executor::~Executor() { pool_->threads.join(); }

absl::Status Executor::Run(std::function<void()> task) {
  if (pool_->waiting.load(std::memory_order_relaxed) >= max_waiting_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the server is busy: ", max_waiting_, " ", name_, " are waiting already"));
  }
  Continue(std::move(task));
  return absl::OkStatus();
}

void Executor::Continue(std::function<void()> task) {
  pool_->waiting.fetch_add(1, std::memory_order_relaxed);
  boost::asio::post(pool_->threads, [pool = pool_.get(), task = std::move(task)] {
    pool->waiting.fetch_sub(1, std::memory_order_relaxed);
    task();
  });
}

}  // namespace slipstream
