#include "server/drain_limit.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace slipstream {

DrainLimit::DrainLimit(absl::Duration time, std::function<void()> tell)
    : thread_([time, tell = std::move(tell)](const std::stop_token& drained) {
        std::mutex mutex;
        std::condition_variable_any woken;
        std::unique_lock lock(mutex);
        woken.wait_for(lock, drained, absl::ToChronoNanoseconds(time), [] { return false; });
        if (drained.stop_requested()) return;
        tell();
        _exit(1);
      }) {}

}  // namespace slipstream
