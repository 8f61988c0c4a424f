// Tells a person that a server does not answer, while calls to it are repeated.
#ifndef SLIPSTREAM_CLIENT_CLI_WAITING_CLOCK_H_
#define SLIPSTREAM_CLIENT_CLI_WAITING_CLOCK_H_

#include <chrono>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>

#include "slipstream/client_options.h"

namespace slipstream::cli {

// The machine's clock. Once the pauses between attempts come to a second, it says so, once.
// Thread-safe.
class WaitingClock final : public ClientClock {
 public:
  using Pause = std::function<void(std::chrono::nanoseconds)>;

  // `err` must outlive the clock. `pause` returns after the time that it is given.
  WaitingClock(std::string address, std::ostream& err, Pause pause);

  std::chrono::nanoseconds Elapsed() override;
  void Sleep(std::chrono::nanoseconds duration) override;

 private:
  const std::string address_;
  std::ostream& err_;
  const Pause pause_;
  std::mutex mutex_;
  std::chrono::nanoseconds waited_{0};
  bool told_ = false;
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_WAITING_CLOCK_H_
