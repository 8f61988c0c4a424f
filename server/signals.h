// The signals that end the server, and the one that has it reload its files.
//
//   const Signals signals = BlockSignals();  // Before any thread is started.
//   const std::optional<int> signal_number = WaitForEnd(false, signals, [] {}, [] {});
#ifndef SLIPSTREAM_SERVER_SIGNALS_H_
#define SLIPSTREAM_SERVER_SIGNALS_H_

#include <signal.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace slipstream {

// What SIGHUP does: it tells a server that was started in a terminal that this has closed, and asks
// one without a terminal to reload its files. Under nohup it is ignored.
enum class HangUp { kDrain, kReload, kIgnored };

// "drain", "reload" or "ignored".
std::string NameOf(HangUp hang_up);

struct Signals {
  sigset_t waited_for;
  HangUp hang_up = HangUp::kReload;
};

// Blocks the signals that are waited for, in this thread and all that it starts: SIGTERM, SIGINT
// and, unless it is ignored, as nohup has it, SIGHUP. Ignores SIGPIPE, SIGXFSZ, SIGUSR1 and
// SIGUSR2, which would end the server without draining.
Signals BlockSignals();

// Lets those signals end this process at once.
void UnblockSignals(const Signals& signals);

// While it lives, a signal that is to end the server ends the process with code 0, after `tell` was
// called: there are no calls to drain yet, and what is being done to the store, such as a long
// migration, is undone at the next start, as after kill -9. A SIGHUP that reloads has to wait.
class EndWhileStarting {
 public:
  EndWhileStarting(const Signals& signals, std::function<void(int signal_number)> tell);
  ~EndWhileStarting();

  EndWhileStarting(const EndWhileStarting&) = delete;
  EndWhileStarting& operator=(const EndWhileStarting&) = delete;

 private:
  std::thread thread_;
};

// Returns the signal that ends the server, or nothing once standard input has ended if
// `until_stdin_ends`. Until then it calls `each_second`, and `reload` at a SIGHUP that does not end
// the server.
std::optional<int> WaitForEnd(bool until_stdin_ends, const Signals& signals,
                              const std::function<void()>& each_second,
                              const std::function<void()>& reload);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SIGNALS_H_
