#include "client/cli/interruption.h"

#include <semaphore.h>

namespace slipstream::cli {
namespace {

// The signal handler touches nothing but these.
volatile sig_atomic_t received = 0;  // Zero: none.
sem_t arrived;

void Receive(int signal) {
  received = signal;
  sem_post(&arrived);
}

}  // namespace

Interruption::Interruption() {
  received = 0;
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
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, before);
  if (before->sa_handler == SIG_IGN) sigaction(signal, before, nullptr);
}

void Interruption::Finish() const {
  if (!stop_.stop_requested()) return;
  signal(received, SIG_DFL);
  raise(received);
}

}  // namespace slipstream::cli
