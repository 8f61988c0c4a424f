#include "client/cpp/background.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "client/cpp/own_thread.h"

namespace slipstream::client_internal {

struct Background::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  size_t idle = 0;  // Threads that wait for a task.
  bool closed = false;
  std::vector<std::thread> threads;
};

Background::Background(const BackgroundOptions& options)
    : options_(options), queue_(std::make_shared<Queue>()) {}

Background::~Background() {
  if (!home_.IsThisOne()) {
    LeaveBehind(std::move(queue_));
    return;
  }
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(queue_->mutex);
    queue_->closed = true;
    threads.swap(queue_->threads);
  }
  queue_->changed.notify_all();
  for (std::thread& thread : threads) JoinUnlessOwn(thread);
}

absl::Status Background::Take(std::function<void()> task) {
  if (!home_.IsThisOne()) {
    return absl::FailedPreconditionError(
        "this process was forked from the one that has opened the study, which alone can use it");
  }
  const std::lock_guard<std::mutex> lock(queue_->mutex);
  if (queue_->waiting.size() >= static_cast<size_t>(options_.waiting)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("background.waiting is ", options_.waiting,
                     ", and that many calls are waiting already: wait for one of them first"));
  }
  const bool all_busy = queue_->waiting.size() >= queue_->idle;
  if (all_busy && queue_->threads.size() < static_cast<size_t>(options_.threads)) {
    std::thread thread;
    const absl::Status started = StartThread([queue = queue_] { Serve(queue); }, &thread);
    if (started.ok()) queue_->threads.push_back(std::move(thread));
    if (queue_->threads.empty()) return started;  // Fewer than wanted only take longer.
  }
  queue_->waiting.push_back(std::move(task));
  queue_->changed.notify_one();
  return absl::OkStatus();
}

void Background::Serve(const std::shared_ptr<Queue>& queue) {
  std::unique_lock<std::mutex> lock(queue->mutex);
  for (;;) {
    ++queue->idle;
    queue->changed.wait(lock, [&queue] { return queue->closed || !queue->waiting.empty(); });
    --queue->idle;
    if (queue->waiting.empty()) return;
    std::function<void()> task = std::move(queue->waiting.front());
    queue->waiting.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // What it held goes without the lock.
    lock.lock();
  }
}

}  // namespace slipstream::client_internal
