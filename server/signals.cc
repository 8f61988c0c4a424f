#include "server/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

namespace slipstream {
namespace {

// Raises SIGTERM when standard input has ended. The thread ends with the process.
void EndWithStandardInput() {
  std::thread([] {
    char ignored[256];
    ssize_t count = 0;
    do {
      count = read(STDIN_FILENO, ignored, sizeof(ignored));
    } while (count > 0 || (count < 0 && errno == EINTR));
    kill(getpid(), SIGTERM);
  }).detach();
}

// As nohup has it. A blocked signal would be waited for nevertheless.
bool IsIgnored(int signal_number) {
  struct sigaction action = {};
  return sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Whether this process would be told that a terminal closes: the seventh field of its stat, after
// its name, which ends with the last parenthesis and may have anything in it.
bool HasTerminal() {
  std::ifstream in("/proc/self/stat");
  const std::string stat{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state;
  int parent = 0;
  int group = 0;
  int session = 0;
  int terminal = 0;
  fields >> state >> parent >> group >> session >> terminal;
  return terminal != 0;
}

}  // namespace

sigset_t BlockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (!IsIgnored(SIGHUP)) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  for (const int unused : {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2}) signal(unused, SIG_IGN);
  return signals;
}

int WaitForEndingSignal(bool until_stdin_ends, sigset_t signals,
                        const std::function<void()>& each_second,
                        const std::function<void()>& reload) {
  const bool has_terminal = HasTerminal();  // Once it has closed this cannot be found out.
  if (until_stdin_ends) {
    sigdelset(&signals, SIGINT);
    EndWithStandardInput();
  }
  const timespec second = {1, 0};
  while (true) {
    const int signal_number = sigtimedwait(&signals, nullptr, &second);
    if (signal_number == SIGHUP && !has_terminal) {
      reload();
    } else if (signal_number > 0) {
      return signal_number;
    } else if (errno == EAGAIN) {
      each_second();
    }
  }
}

}  // namespace slipstream
