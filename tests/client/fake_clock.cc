#include "tests/client/fake_clock.h"

namespace slipstream {

absl::Duration FakeClientClock::Elapsed() {
  const std::lock_guard lock(mutex_);
  return elapsed_;
}

void FakeClientClock::Sleep(absl::Duration duration) {
  const std::lock_guard lock(mutex_);
  elapsed_ += duration;
  sleeps_.push_back(duration);
}

std::vector<absl::Duration> FakeClientClock::sleeps() const {
  const std::lock_guard lock(mutex_);
  return sleeps_;
}

}  // namespace slipstream
