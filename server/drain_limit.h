// Ends the process if a server has not drained in time, as when a disk that does not answer
// keeps calls from ending. Nothing that was acknowledged is lost, as with kill -9.
//
//   DrainLimit limit([&] { log.Write(...); });
//   ...
//   limit.Begin(absl::Seconds(12));
//   server.Drain(absl::Seconds(10));
#ifndef SLIPSTREAM_SERVER_DRAIN_LIMIT_H_
#define SLIPSTREAM_SERVER_DRAIN_LIMIT_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "absl/time/time.h"

namespace slipstream {

// Calls that are left after the time for draining have this long to end once they are cancelled.
inline constexpr int kMostSecondsToCancel = 2;

class DrainLimit {
 public:
  // Starts the waiting thread at once, since a process without memory to spare cannot start one.
  explicit DrainLimit(std::function<void()> tell);

  // Unless the limit is destroyed before, calls `tell` after this time by the monotonic clock, and
  // ends the process with code 1. Called at most once.
  void Begin(absl::Duration time);

 private:
  // Whether the time passed before `drained` was set.
  bool IsTooLong(const std::stop_token& drained);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<absl::Duration> time_;  // None: not begun.
  std::jthread thread_;                 // Last: it uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_DRAIN_LIMIT_H_
