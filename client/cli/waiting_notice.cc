#include "client/cli/waiting_notice.h"

#include <utility>

#include "client/cli/table.h"

namespace slipstream::cli {

WaitingNotice::WaitingNotice(std::string address, std::ostream& err)
    : address_(std::move(address)), err_(err) {}

void WaitingNotice::Add(const FailedAttempt& failed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waited_ += failed.took + failed.pause;
  bool& told = failed.answered ? told_answer_ : told_silence_;
  if (told || waited_ < std::chrono::seconds(1)) return;
  told = true;
  if (failed.answered) {
    err_ << "slipstream: trying again until " << address_
         << " accepts it: " << OnItsLines(std::string(failed.status.message())) << std::endl;
  } else {
    err_ << "slipstream: waiting for an answer from " << address_ << std::endl;
  }
}

}  // namespace slipstream::cli
