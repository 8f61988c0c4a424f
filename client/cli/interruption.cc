#include "client/cli/interruption.h"

#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace slipstream::cli {
namespace {

// The signal handlers touch nothing but these. They may run in several threads at once.
std::atomic<int> received{0};            // Zero: none.
std::atomic<int64_t> received_at_ms{0};  // When that was; zero: not yet known.
sem_t arrived;

int64_t Milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void Receive(int signal) {
  const int error = errno;
  const int64_t now = Milliseconds();
  int none = 0;
  if (received.compare_exchange_strong(none, signal)) {
    received_at_ms = now;
    sem_post(&arrived);
  } else if (received_at_ms != 0 && now - received_at_ms >= Interruption::kTogether.count()) {
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  received = 0;
  received_at_ms = 0;
  sem_init(&arrived, 0, 0);
  waiter_ = std::thread([this] {
    while (sem_wait(&arrived) != 0) {
    }
    if (received != 0) stop_.request_stop();
  });
  Catch(SIGINT, &interrupt_before_);
  Catch(SIGTERM, &terminate_before_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sem_post(&arrived);
  waiter_.join();
  sem_destroy(&arrived);
}

void Interruption::Catch(int signal, struct sigaction* before) {
  struct sigaction action = {};
  action.sa_handler = Receive;
  action.sa_flags = SA_RESTART;
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(signal, &action, before);
  if (before->sa_handler == SIG_IGN) sigaction(signal, before, nullptr);
}

void Interruption::Finish() const {
  if (!stop_.stop_requested()) return;
  signal(received, SIG_DFL);
  raise(received);
}

}  // namespace slipstream::cli
