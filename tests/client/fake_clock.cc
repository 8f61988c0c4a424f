#include "tests/client/fake_clock.h"

namespace slipstream {

std::chrono::nanoseconds FakeClientClock::Elapsed() {
  const std::lock_guard lock(mutex_);
  return elapsed_;
}

void FakeClientClock::Sleep(std::chrono::nanoseconds duration) {
  const std::lock_guard lock(mutex_);
  elapsed_ += duration;
  sleeps_.push_back(duration);
}

std::vector<std::chrono::nanoseconds> FakeClientClock::sleeps() const {
  const std::lock_guard lock(mutex_);
  return sleeps_;
}

}  // namespace slipstream
