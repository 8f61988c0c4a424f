// The suggestions for one batch of calls, computed in turns: after each, others may use the thread.
//
// Not thread-safe, but a turn may be on any thread.
#ifndef SLIPSTREAM_SERVER_SERVICE_SUGGESTION_WORK_H_
#define SLIPSTREAM_SERVER_SERVICE_SUGGESTION_WORK_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/deadline.h"
#include "core/strategy/strategy.h"
#include "server/service/catalog.h"
#include "server/service/history.h"
#include "server/service/lease_batch.h"
#include "server/service/prepared_suggestions.h"
#include "server/store/store.h"

namespace slipstream {

class SuggestionWork {
 public:
  // At most `count` suggestions for the study as `head` has it, for callers or to be kept ahead.
  // `context` must outlive the work. FAILED_PRECONDITION when the study's candidates are used up;
  // the store's errors.
  static absl::StatusOr<std::unique_ptr<SuggestionWork>> Start(
      const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
      const StudyRecord& head, int count, bool is_ahead = false);
  ~SuggestionWork();

  // Computes until there are `count` suggestions or no more to be had, which is returned; at least
  // one, and then until the turn is over or the deadline passes. CANCELLED
  // when the deadline's stop was requested.
  absl::StatusOr<bool> TakeTurn(int count, const Deadline& deadline);
  // The same to the end, for a deadline that has passed, when nothing takes long any more.
  absl::StatusOr<bool> Finish(int count, const Deadline& deadline);

  // In the order in which they are to be leased; of a strategy that does not look at results
  // perhaps more than asked for.
  const std::vector<Suggestion>& Made() const { return run_ == nullptr ? prepared_ : run_->made(); }
  // Keeps them for later callers, as long as they hold.
  void KeepAhead();
  // The same of what callers get now and of the further ones, if there are any.
  void KeepFurther();
  // Whether what is leased is to be counted as used (PreparedSuggestions).
  bool counts_as_used() const { return run_ == nullptr || further_ > 0; }

 private:
  class ReadinessRecorder;

  SuggestionWork(const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
                 SourceTasks sources);

  void FindPrepared(int count);
  // Replaces what was prepared for the study.
  void Keep(absl::Span<const Suggestion> suggestions);
  absl::StatusOr<bool> Advance(int count, const Deadline& deadline,
                               const std::function<bool()>& ends_turn);

  const LeaseBatchContext& context_;
  const std::shared_ptr<const CatalogStudy> study_;
  const SourceTasks sources_;
  std::unique_ptr<ReadinessRecorder> provider_;
  std::shared_ptr<const StudyHistory> history_;  // Null where the strategy reads none.
  PreparedFor made_for_;
  std::vector<Suggestion> prepared_;    // Precomputed earlier; ...
  std::unique_ptr<SuggestionRun> run_;  // ... null then.
  bool is_ahead_ = false;
  int further_ = 0;  // So many more than asked for are made, for later callers.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SUGGESTION_WORK_H_
