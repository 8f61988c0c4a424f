// The signals that end the server, and the one that has it read its files again.
//
//   const sigset_t signals = BlockEndingSignals();  // Before any thread is started.
//   const int signal_number = WaitForEndingSignal(false, signals, [] {}, [] {});
#ifndef SLIPSTREAM_SERVER_SIGNALS_H_
#define SLIPSTREAM_SERVER_SIGNALS_H_

#include <signal.h>

#include <functional>

namespace slipstream {

// Blocks the signals that WaitForEndingSignal waits for, in this thread and all that it starts:
// SIGTERM, SIGINT and, unless the server was started to outlive its terminal, SIGHUP. Ignores
// SIGPIPE, SIGXFSZ, SIGUSR1 and SIGUSR2, which would end the server without draining.
sigset_t BlockEndingSignals();

// Returns the signal that ends the server; calls `each_second` until then. SIGINT is ignored when
// standard input says when to end; its end then counts as SIGTERM. SIGHUP ends a server that was
// started in a terminal, as it says that the terminal has closed; a server without a terminal is
// asked by it to `reload`.
int WaitForEndingSignal(bool until_stdin_ends, sigset_t signals,
                        const std::function<void()>& each_second,
                        const std::function<void()>& reload);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SIGNALS_H_
