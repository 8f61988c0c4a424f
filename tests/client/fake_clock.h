// A clock that advances only by Sleep.
#ifndef SLIPSTREAM_TESTS_CLIENT_FAKE_CLOCK_H_
#define SLIPSTREAM_TESTS_CLIENT_FAKE_CLOCK_H_

#include <mutex>
#include <vector>

#include "slipstream/client_options.h"

namespace slipstream {

// Thread-safe.
class FakeClientClock final : public ClientClock {
 public:
  absl::Duration Elapsed() override;
  // Advances the clock by `duration` and returns at once.
  void Sleep(absl::Duration duration) override;
  std::vector<absl::Duration> sleeps() const;

 private:
  mutable std::mutex mutex_;
  absl::Duration elapsed_;
  std::vector<absl::Duration> sleeps_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CLIENT_FAKE_CLOCK_H_
