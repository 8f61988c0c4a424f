// A thread pool with a bounded queue, which is fair to short tasks.
//
//   Executor executor("reads", 4, 1000);
//   absl::Status accepted = executor.Run([] { ... });
//
// Long work is split into turns: a task whose turn is over continues behind all tasks that wait for
// their first, and in the order of those who continue. Every few free starts, one is reserved for
// work that continues, so that none waits for ever. Spare threads take first turns only. So a first
// turn need not wait until long work ends its turn, and gets most of the processor where
// `on_thread` lowers the other threads' priority. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_EXECUTOR_H_
#define SLIPSTREAM_SERVER_SERVICE_EXECUTOR_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace slipstream {

class Executor {
 public:
  // The queue in which a task's next step waits.
  enum class Turn { kFirst, kLater };

  // `name` appears in error messages. `on_thread` runs once on each thread that is not a spare one,
  // to lower its priority.
  Executor(std::string name, int threads, size_t max_waiting, int spare_threads = 0,
           const std::function<void()>& on_thread = {});
  // Returns when all accepted tasks have run.
  ~Executor();

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // RESOURCE_EXHAUSTED, naming the bound, when max_waiting tasks are waiting already;
  // `task` will then not run.
  absl::Status Run(std::function<void()> task, Turn turn = Turn::kFirst);

  // Accepts `task` regardless of the bound. For the next step of work that Run has
  // accepted, of which there is a bounded amount.
  void Continue(std::function<void()> task, Turn turn = Turn::kFirst);

  // Tasks that have not begun, and how many may wait.
  size_t waiting() const;
  size_t max_waiting() const { return max_waiting_; }

 private:
  class Pool;
  const std::string name_;
  const size_t max_waiting_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_EXECUTOR_H_
