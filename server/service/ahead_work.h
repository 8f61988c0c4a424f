// The next suggestions of one study, precomputed, in turns on the threads that
// also compute for callers who wait.
#ifndef SLIPSTREAM_SERVER_SERVICE_AHEAD_WORK_H_
#define SLIPSTREAM_SERVER_SERVICE_AHEAD_WORK_H_

#include <atomic>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "core/base/deadline.h"
#include "server/service/executor.h"
#include "server/service/lease_batch.h"
#include "server/service/suggestion_work.h"

namespace slipstream {

// Lives until it has called `finished`, once, and all tasks that wait for its turns have run. Used
// by one thread at a time, but for Hurry.
class AheadWork : public std::enable_shared_from_this<AheadWork> {
 public:
  // As many suggestions as there are workers with trials, at most a few, unless they are there
  // already. Ends early, with what it has, when `is_needed_elsewhere` says that a caller waits
  // for the study. `context` must outlive the work. Errors are ignored: the next caller meets them.
  static std::shared_ptr<AheadWork> Make(const LeaseBatchContext& context,
                                         std::shared_ptr<const CatalogStudy> study,
                                         std::function<bool()> is_needed_elsewhere,
                                         std::function<void()> finished);

  // Takes the first turn on this thread. Once.
  void Run() { TakeTurn(); }

  // A caller waits for the study: from now on the work takes its turns with the first turns of
  // other studies, instead of behind them.
  void Hurry();

 private:
  AheadWork(const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
            std::function<bool()> is_needed_elsewhere, std::function<void()> finished);

  void TakeTurn();
  // RESOURCE_EXHAUSTED without memory for the task that takes the turn.
  absl::Status AwaitTurn(Executor::Turn turn);
  // Whether there is more to do.
  absl::StatusOr<bool> Compute();
  absl::Status Begin();

  const LeaseBatchContext& context_;
  Executor* const executor_;  // Outlives the context.
  const std::shared_ptr<const CatalogStudy> study_;
  const std::function<bool()> is_needed_elsewhere_;
  const std::function<void()> finished_;
  const Deadline deadline_;
  std::unique_ptr<SuggestionWork> work_;
  int count_ = 0;
  std::atomic<bool> awaits_turn_{false};  // Whoever takes that away takes the turn.
  std::atomic<bool> is_hurried_{false};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_AHEAD_WORK_H_
