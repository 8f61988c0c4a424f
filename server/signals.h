// The signals that end the server, and the one that has it look for changed files.
//
//   const Signals signals = BlockSignals();  // Before any thread is started.
//   const int signal_number = WaitForEndingSignal(false, signals, [] {}, [] {});
#ifndef SLIPSTREAM_SERVER_SIGNALS_H_
#define SLIPSTREAM_SERVER_SIGNALS_H_

#include <signal.h>

#include <functional>

namespace slipstream {

struct Signals {
  sigset_t waited_for;
  // Whether SIGHUP says that the terminal in which the server was started has closed. A server
  // without one is asked by it to look for changed files.
  bool hang_up_ends = false;
};

// Blocks the signals that are waited for, in this thread and all that it starts: SIGTERM, SIGINT
// and, unless it is ignored, as nohup has it, SIGHUP. Ignores SIGPIPE, SIGXFSZ, SIGUSR1 and
// SIGUSR2, which would end the server without draining.
Signals BlockSignals();

// Returns the signal that ends the server; until then calls `each_second`, and `look_at_files` at
// a SIGHUP that does not end it. SIGINT is ignored when standard input says when to end; its end
// then counts as SIGTERM.
int WaitForEndingSignal(bool until_stdin_ends, Signals signals,
                        const std::function<void()>& each_second,
                        const std::function<void()>& look_at_files);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SIGNALS_H_
