#include "client/cpp/renewals.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "client/cpp/own_thread.h"

namespace slipstream::client_internal {
namespace {

using Clock = std::chrono::steady_clock;

// Also after a longer lease's pause, which added to the time might be more than a clock holds.
constexpr std::chrono::hours kLongestPause(24);

Clock::time_point DueAfter(std::chrono::nanoseconds pause) {
  return Clock::now() + std::min<std::chrono::nanoseconds>(pause, kLongestPause);
}

}  // namespace

struct Renewals::Shared {
  struct Lease {
    Clock::time_point due;
    Renew renew;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::map<int64_t, Lease> leases;
  int64_t last_id = 0;
  Clock::time_point wakes_at = Clock::time_point::max();  // Unless something changes.
  bool closed = false;
  std::thread thread;
};

Renewals::Renewals() : shared_(std::make_shared<Shared>()) {}

Renewals::~Renewals() {
  if (!home_.IsThisOne()) {
    LeaveBehind(std::move(shared_));
    return;
  }
  std::thread thread;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->closed = true;
    thread = std::move(shared_->thread);
  }
  shared_->changed.notify_all();
  JoinUnlessOwn(thread);
}

absl::Status Renewals::Start() {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  if (shared_->thread.joinable()) return absl::OkStatus();
  return StartThread([shared = shared_] { Serve(shared); }, &shared_->thread);
}

int64_t Renewals::Add(std::chrono::nanoseconds pause, Renew renew) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  const Clock::time_point due = DueAfter(pause);
  shared_->leases[++shared_->last_id] = {due, std::move(renew)};
  if (due < shared_->wakes_at) shared_->changed.notify_all();
  return shared_->last_id;
}

void Renewals::Remove(int64_t id) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  shared_->leases.erase(id);
}

void Renewals::Serve(const std::shared_ptr<Shared>& shared) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  while (!shared->closed) {
    const auto next =
        std::min_element(shared->leases.begin(), shared->leases.end(),
                         [](const auto& a, const auto& b) { return a.second.due < b.second.due; });
    const bool none = next == shared->leases.end();
    shared->wakes_at = none ? Clock::time_point::max() : next->second.due;
    if (none) {
      shared->changed.wait(lock);
      continue;
    }
    if (const Clock::time_point due = next->second.due; due > Clock::now()) {
      shared->changed.wait_until(lock, due);
      continue;
    }
    const int64_t id = next->first;
    Renew renew = next->second.renew;
    lock.unlock();
    const Pause pause = renew();
    renew = nullptr;  // What it held goes without the lock.
    lock.lock();
    const auto renewed = shared->leases.find(id);
    if (renewed == shared->leases.end()) continue;
    if (pause.has_value()) {
      renewed->second.due = DueAfter(*pause);
    } else {
      shared->leases.erase(renewed);
    }
  }
}

}  // namespace slipstream::client_internal
