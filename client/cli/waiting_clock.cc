#include "client/cli/waiting_clock.h"

#include <utility>

namespace slipstream::cli {

WaitingClock::WaitingClock(std::string address, std::ostream& err, Pause pause)
    : address_(std::move(address)), err_(err), pause_(std::move(pause)) {}

std::chrono::nanoseconds WaitingClock::Elapsed() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

void WaitingClock::Sleep(std::chrono::nanoseconds duration) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waited_ += duration;
    if (!told_ && waited_ >= std::chrono::seconds(1)) {
      told_ = true;
      err_ << "slipstream: waiting for an answer from " << address_ << std::endl;
    }
  }
  pause_(duration);
}

}  // namespace slipstream::cli
