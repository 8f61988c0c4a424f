// A thread that repeats the same action, by the monotonic clock.
//
//   Rounds rounds_{absl::Seconds(1), [this] { Look(); }};  // Last: the thread uses the rest.
#ifndef SLIPSTREAM_SERVER_SERVICE_ROUNDS_H_
#define SLIPSTREAM_SERVER_SERVICE_ROUNDS_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/out_of_memory.h"

namespace slipstream {

class Rounds {
 public:
  // The first round begins after one `pause`. A round may throw std::bad_alloc.
  Rounds(absl::Duration pause, std::function<void()> round)
      : thread_([pause, round = std::move(round)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any stopped;
          std::unique_lock lock(mutex);
          const auto never = [] { return false; };
          while (!stop.stop_requested()) {
            stopped.wait_for(lock, stop, absl::ToChronoNanoseconds(pause), never);
            if (stop.stop_requested()) return;
            OrOutOfMemory([&round] {
              round();
              return absl::OkStatus();
            }).IgnoreError();
          }
        }) {}

 private:
  std::jthread thread_;  // A round that is under way is waited for.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_ROUNDS_H_
