// Tells a person why a command waits, while calls to a server are repeated.
#ifndef SLIPSTREAM_CLIENT_CLI_WAITING_NOTICE_H_
#define SLIPSTREAM_CLIENT_CLI_WAITING_NOTICE_H_

#include <chrono>
#include <mutex>
#include <ostream>
#include <string>

#include "slipstream/client_options.h"

namespace slipstream::cli {

// Once failed attempts and the pauses after them come to a second, it says that the server does not
// answer, or what its answer is; each once. Thread-safe.
class WaitingNotice {
 public:
  // `err` must outlive the notice.
  WaitingNotice(std::string address, std::ostream& err);

  // Takes note of an attempt that is repeated after a pause.
  void Add(const FailedAttempt& failed);

 private:
  const std::string address_;
  std::ostream& err_;
  std::mutex mutex_;
  std::chrono::nanoseconds waited_{0};
  bool told_silence_ = false;
  bool told_answer_ = false;
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_WAITING_NOTICE_H_
