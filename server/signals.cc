#include "server/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace slipstream {
namespace {

// Sends this process SIGTERM when standard input has ended. The thread ends with the process.
void EndWithStandardInput() {
  std::thread([] {
    char ignored[256];
    ssize_t count = 0;
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    do {
      poll(&input, 1, -1);  // Another process may have made it one that does not block.
      count = read(STDIN_FILENO, ignored, sizeof(ignored));
    } while (count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN)));
    kill(getpid(), SIGTERM);
  }).detach();
}

// Nothing but EndWithStandardInput and the end of EndWhileStarting sends such a signal.
bool IsOfThisProcess(const siginfo_t& sent) {
  // The libraries of C differ in how they report pthread_kill.
  return (sent.si_code == SI_USER || sent.si_code == SI_TKILL) && sent.si_pid == getpid();
}

// A blocked signal would be waited for nevertheless.
bool IsIgnored(int signal_number) {
  struct sigaction action = {};
  return sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Once it has closed this cannot be found out any more.
bool HasTerminal() {
  const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return false;
  close(terminal);
  return true;
}

timespec UntilOrNow(std::chrono::steady_clock::time_point time) {
  const auto left = std::max(time - std::chrono::steady_clock::now(), std::chrono::nanoseconds(0));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
}

}  // namespace

std::string NameOf(HangUp hang_up) {
  switch (hang_up) {
    case HangUp::kDrain:
      return "drain";
    case HangUp::kReload:
      return "reload";
    case HangUp::kIgnored:
      return "ignored";
  }
  return {};
}

Signals BlockSignals() {
  Signals signals = {.waited_for = {}, .hang_up = HasTerminal() ? HangUp::kDrain : HangUp::kReload};
  if (IsIgnored(SIGHUP)) signals.hang_up = HangUp::kIgnored;
  sigemptyset(&signals.waited_for);
  sigaddset(&signals.waited_for, SIGTERM);
  sigaddset(&signals.waited_for, SIGINT);
  if (signals.hang_up != HangUp::kIgnored) sigaddset(&signals.waited_for, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals.waited_for, nullptr);
  for (const int unused : {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2}) signal(unused, SIG_IGN);
  return signals;
}

void UnblockSignals(const Signals& signals) {
  pthread_sigmask(SIG_UNBLOCK, &signals.waited_for, nullptr);
}

EndWhileStarting::EndWhileStarting(const Signals& signals, std::function<void(int)> tell)
    : thread_([signals, tell = std::move(tell)] {
        sigset_t ends = signals.waited_for;
        if (signals.hang_up == HangUp::kReload) sigdelset(&ends, SIGHUP);
        siginfo_t sent = {};
        int signal_number = -1;
        while (signal_number < 0) signal_number = sigwaitinfo(&ends, &sent);
        if (IsOfThisProcess(sent)) return;  // The start is over.
        tell(signal_number);
        _exit(0);
      }) {}

// To that thread alone.
EndWhileStarting::~EndWhileStarting() {
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

std::optional<int> WaitForEnd(bool until_stdin_ends, const Signals& signals,
                              const std::function<void()>& each_second,
                              const std::function<void()>& reload) {
  if (until_stdin_ends) EndWithStandardInput();
  constexpr std::chrono::seconds kSecond(1);
  auto next = std::chrono::steady_clock::now() + kSecond;
  while (true) {
    const timespec time = UntilOrNow(next);
    siginfo_t sent = {};
    const int signal_number = sigtimedwait(&signals.waited_for, &sent, &time);
    if (signal_number == SIGHUP && signals.hang_up == HangUp::kReload) {
      reload();
    } else if (signal_number > 0) {
      if (IsOfThisProcess(sent)) return std::nullopt;
      return signal_number;
    } else if (errno == EAGAIN) {
      each_second();
      next = std::chrono::steady_clock::now() + kSecond;
    }
  }
}

}  // namespace slipstream
