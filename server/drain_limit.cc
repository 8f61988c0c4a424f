#include "server/drain_limit.h"

#include <unistd.h>

#include <utility>

namespace slipstream {

DrainLimit::DrainLimit(std::function<void()> tell)
    : thread_([this, tell = std::move(tell)](const std::stop_token& drained) {
        if (!IsTooLong(drained)) return;
        tell();
        _exit(1);
      }) {}

void DrainLimit::Begin(absl::Duration time) {
  const std::lock_guard lock(mutex_);
  time_ = time;
  changed_.notify_all();
}

bool DrainLimit::IsTooLong(const std::stop_token& drained) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, drained, [this] { return time_.has_value(); })) return false;
  changed_.wait_for(lock, drained, absl::ToChronoNanoseconds(*time_), [] { return false; });
  return !drained.stop_requested();
}

}  // namespace slipstream
