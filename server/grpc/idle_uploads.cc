#include "server/grpc/idle_uploads.h"

#include <utility>
#include <vector>

#include "absl/time/clock.h"

namespace slipstream {
namespace {

constexpr int kLooksPerLimit = 4;

}  // namespace

IdleUploads::IdleUploads(absl::Duration limit) : limit_(limit), thread_([this] { Watch(); }) {}

IdleUploads::~IdleUploads() {
  ending_.Notify();
  thread_.join();
}

void IdleUploads::Wait(const void* upload, std::function<void()> end) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  waiting_[upload] = {absl::Now(), std::move(end)};
}

void IdleUploads::Leave(const void* upload) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  waiting_.erase(upload);
}

void IdleUploads::Watch() {
  while (!ending_.WaitForNotificationWithTimeout(limit_ / kLooksPerLimit)) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    const absl::Time latest = absl::Now() - limit_;
    std::vector<const void*> idle;
    for (const auto& [upload, waiting] : waiting_) {
      if (waiting.since < latest) idle.push_back(upload);
    }
    for (const void* upload : idle) {
      const auto ended = waiting_.extract(upload);
      if (!ended.empty()) ended.mapped().end();
    }
  }
}

}  // namespace slipstream
