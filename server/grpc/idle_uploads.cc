#include "server/grpc/idle_uploads.h"

#include <utility>
#include <vector>

namespace slipstream {
namespace {

constexpr int kLooksPerLimit = 4;

}  // namespace

IdleUploads::IdleUploads(absl::Duration limit)
    : limit_(limit), looks_(limit / kLooksPerLimit, [this] { Look(); }) {}

void IdleUploads::Wait(const void* upload, std::function<void()> end) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  waiting_[upload] = {Deadline::In(limit_), std::move(end)};
}

void IdleUploads::Leave(const void* upload) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  waiting_.erase(upload);
}

void IdleUploads::Look() {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<const void*> idle;
  for (const auto& [upload, waiting] : waiting_) {
    if (waiting.limit.has_passed()) idle.push_back(upload);
  }
  for (const void* upload : idle) {
    const auto ended = waiting_.extract(upload);
    if (!ended.empty()) ended.mapped().end();
  }
}

}  // namespace slipstream
