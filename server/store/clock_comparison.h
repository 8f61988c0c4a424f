// Notices that the system's clock was set, beside a clock that never is.
//
//   ClockComparison clocks;
//   if (clocks.SetBy(now, steady_now) != absl::ZeroDuration()) ...  // Regularly.
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_STORE_CLOCK_COMPARISON_H_
#define SLIPSTREAM_SERVER_STORE_CLOCK_COMPARISON_H_

#include <chrono>
#include <mutex>
#include <optional>

#include "absl/time/time.h"

namespace slipstream {

class ClockComparison {
 public:
  // By how much the system's clock was set since the last call, or how long the machine slept;
  // negative if the clock was set back. Zero where that is less than a minute, and at the first
  // call.
  absl::Duration SetBy(absl::Time now, std::chrono::steady_clock::time_point steady_now);
  // The same, but the next call looks back as far as this one.
  absl::Duration SetSince(absl::Time now, std::chrono::steady_clock::time_point steady_now) const;

 private:
  struct Moment {
    absl::Time now;
    std::chrono::steady_clock::time_point steady_now;
  };

  mutable std::mutex mutex_;
  std::optional<Moment> last_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_CLOCK_COMPARISON_H_
