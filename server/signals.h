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

// Returns the signal that ends the server, or nothing once standard input has ended if
// `until_stdin_ends`, which also ignores SIGINT. Until then it calls `each_second`, and `reload` at
// a SIGHUP that does not end the server.
std::optional<int> WaitForEnd(bool until_stdin_ends, Signals signals,
                              const std::function<void()>& each_second,
                              const std::function<void()>& reload);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SIGNALS_H_
