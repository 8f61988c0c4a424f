// Lets a command end in its own way when it is interrupted.
#ifndef SLIPSTREAM_CLIENT_CLI_INTERRUPTION_H_
#define SLIPSTREAM_CLIENT_CLI_INTERRUPTION_H_

#include <signal.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace slipstream::cli {

// While there is one, the first SIGINT or SIGTERM asks for a stop; a later one ends the process.
// Signals that the process ignores stay ignored. There is at most one at a time.
class Interruption {
 public:
  // Signals within this time are one: GNU timeout sends its signal to the command, and then again
  // to the command's process group.
  static constexpr std::chrono::milliseconds kTogether{300};

  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }
  // Ends the process by the signal that asked for a stop; does nothing if none did.
  void Finish() const;

 private:
  static void Catch(int signal, struct sigaction* before);

  std::stop_source stop_;
  std::thread waiter_;
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_INTERRUPTION_H_
