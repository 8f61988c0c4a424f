#include "server/drain_limit.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace slipstream {

class DrainLimit::Waiting {
 public:
  void Begin(absl::Duration time) {
    const std::lock_guard lock(mutex_);
    time_ = time;
    changed_.notify_all();
  }

  // Whether the time has passed before `drained`.
  bool IsTooLong(const std::stop_token& drained) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, drained, [this] { return time_.has_value(); })) return false;
    changed_.wait_for(lock, drained, absl::ToChronoNanoseconds(*time_), [] { return false; });
    return !drained.stop_requested();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<absl::Duration> time_;
};

DrainLimit::DrainLimit(std::function<void()> tell)
    : waiting_(std::make_unique<Waiting>()),
      thread_([waiting = waiting_.get(), tell = std::move(tell)](const std::stop_token& drained) {
        if (!waiting->IsTooLong(drained)) return;
        tell();
        _exit(1);
      }) {}

DrainLimit::~DrainLimit() = default;

void DrainLimit::Begin(absl::Duration time) { waiting_->Begin(time); }

}  // namespace slipstream
