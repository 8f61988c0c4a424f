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

// Owns itself from Run until it has called `finished`, once. Used by one thread at a time, but for
// Hurry.
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

  // A caller waits for the study: where the work waits for another turn, behind those of other
  // studies, it takes that with the first turns of others.
  void Hurry();

 private:
  AheadWork(const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
            std::function<bool()> is_needed_elsewhere, std::function<void()> finished);

  void TakeTurn();
  void AwaitTurn(Executor::Turn turn);
  // Whether there is more to do.
  absl::StatusOr<bool> Compute();
  absl::Status Begin();

  const LeaseBatchContext& context_;
  const std::shared_ptr<const CatalogStudy> study_;
  const std::function<bool()> is_needed_elsewhere_;
  const std::function<void()> finished_;
  const Deadline deadline_;
  std::unique_ptr<SuggestionWork> work_;
  int count_ = 0;
  std::atomic<bool> awaits_turn_{false};  // Whoever takes that away takes the turn.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_AHEAD_WORK_H_
