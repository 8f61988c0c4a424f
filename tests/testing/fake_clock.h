// A clock that stands still until it is told to move. Thread-safe.
#ifndef SLIPSTREAM_TESTS_TESTING_FAKE_CLOCK_H_
#define SLIPSTREAM_TESTS_TESTING_FAKE_CLOCK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "absl/time/time.h"

namespace slipstream {

class FakeClock {
 public:
  explicit FakeClock(int64_t start_ms = 1'700'000'000'000) : now_ms_(start_ms) {}

  int64_t NowMs() const { return now_ms_ + set_by_ms_; }
  absl::Time Now() const { return absl::FromUnixMillis(NowMs()); }
  // A negative `duration` sets the clock back.
  void Advance(absl::Duration duration) { now_ms_ += absl::ToInt64Milliseconds(duration); }
  // Ahead, or back if it is negative. No time passes.
  void Set(absl::Duration by) { set_by_ms_ += absl::ToInt64Milliseconds(by); }

  // For options that take a clock; the FakeClock must outlive the function.
  std::function<int64_t()> Function() {
    return [this] { return NowMs(); };
  }
  // The same for a clock that is never set: Advance is then taken for time that passes.
  std::function<std::chrono::steady_clock::time_point()> SteadyFunction() {
    return [this] {
      return std::chrono::steady_clock::time_point(std::chrono::milliseconds(now_ms_));
    };
  }

 private:
  std::atomic<int64_t> now_ms_;
  std::atomic<int64_t> set_by_ms_{0};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_FAKE_CLOCK_H_
