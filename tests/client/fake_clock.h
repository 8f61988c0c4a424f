// A clock that advances only by Sleep.
#ifndef SLIPSTREAM_TESTS_CLIENT_FAKE_CLOCK_H_
#define SLIPSTREAM_TESTS_CLIENT_FAKE_CLOCK_H_

#include <chrono>
#include <mutex>
#include <vector>

#include "slipstream/client_options.h"

namespace slipstream {

// Thread-safe.
class FakeClientClock final : public ClientClock {
 public:
  std::chrono::nanoseconds Elapsed() override;
  // Advances the clock by `duration` and returns at once.
  void Sleep(std::chrono::nanoseconds duration) override;
  std::vector<std::chrono::nanoseconds> sleeps() const;

 private:
  mutable std::mutex mutex_;
  std::chrono::nanoseconds elapsed_{0};
  std::vector<std::chrono::nanoseconds> sleeps_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CLIENT_FAKE_CLOCK_H_
