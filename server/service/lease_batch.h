// One batch of Suggest calls of one study, from the plan to the commit. A call
// gets its first answer if it is a repeat, else its worker's own active trials,
// then queued trials, then new suggestions.
#ifndef SLIPSTREAM_SERVER_SERVICE_LEASE_BATCH_H_
#define SLIPSTREAM_SERVER_SERVICE_LEASE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/sources/fitted_source.h"
#include "core/strategy/strategy.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/history.h"
#include "server/service/ladder_counts.h"
#include "server/service/prepared_suggestions.h"
#include "server/service/service_options.h"
#include "server/service/suggest_call.h"
#include "server/store/store.h"

namespace slipstream {

class SuggestionWork;

// The parts of the service that a batch uses; all of them outlive the batch.
struct LeaseBatchContext {
  Store* store = nullptr;
  Catalog* catalog = nullptr;
  SourceProvider* sources = nullptr;
  HistoryCache* histories = nullptr;
  LadderCounts* ladder = nullptr;
  const ServiceOptions* options = nullptr;
  // Precomputed suggestions; null: there are none.
  PreparedSuggestions* prepared = nullptr;
  // Runs a batch again after its turn is over; null: it has only one turn.
  Executor* executor = nullptr;
  // Requested when the server ends: batches then answer UNAVAILABLE and commit nothing.
  std::stop_token stop = {};
  // Called after suggestions for which a source was not ready.
  std::function<void(const std::string& study_id)> on_unready_sources = [](const std::string&) {};
};

// Whether the call asks for more trials of the study than are sure to fit into one answer.
bool AsksTooMany(const SuggestCall& call, const ServiceOptions& options,
                 const CatalogStudy& study);

// Counts a suggestion that was leased.
void CountSuggestion(const LeaseBatchContext& context, const CatalogStudy& study,
                     const Provenance& provenance);

// Owns itself from Start until it has called `finished`, once, with the calls to
// try again because the study changed meanwhile; all other calls have been
// answered by then. Used by one thread at a time.
class LeaseBatchWork : public std::enable_shared_from_this<LeaseBatchWork> {
 public:
  using Finished = std::function<void(std::vector<SuggestCall>)>;

  ~LeaseBatchWork();

  // `context` must outlive the batch. Throws nothing.
  static void Start(const LeaseBatchContext& context, const std::string& study_id,
                    std::vector<SuggestCall> calls, Finished finished);

 private:
  // A call that is still to be answered, and what it gets.
  struct BatchedCall {
    SuggestCall call;
    LeaseGrant grant = {};
    absl::Status rendered = {};  // Whether the response could be filled.
    bool is_late = false;        // As MarkLate found; time goes on.
    size_t fresh = 0;            // How many suggestions it got.

    int Missing() const;
  };

  // Has room for so many calls.
  LeaseBatchWork(const LeaseBatchContext& context, const std::string& study_id, size_t calls);

  // How a batch goes on after a turn.
  enum class Next { kAnotherTurn, kCommit, kAnswer };

  void TakeTurn();
  absl::StatusOr<Next> Begin();
  // Goes on with the suggestions.
  absl::StatusOr<Next> GoOn();
  void DropCancelled();
  // Answers the calls for which this is an error with it; they leave the batch.
  void Refuse(absl::FunctionRef<absl::Status(const BatchedCall&)> refusal);
  int Missing() const;
  // Marks the calls whose deadline has passed, and returns how many trials they still miss.
  int MarkLate();
  void AnswerRepeats();
  bool AnyAsksTooMany() const;
  void RefuseTooMany();
  absl::Status Plan();
  void RefuseThoseOfOtherStudies();
  void AssignExistingTrials();
  void RefuseThoseWithoutTrials();
  // Gives the suggestions to the calls, in their order. A call that gets nothing at all from a
  // study that has nothing left is answered with `none_left` and leaves the batch; one that lacks
  // some for want of time, and was not late, is postponed.
  void Distribute(const std::vector<Suggestion>& suggestions, bool are_all,
                  const absl::Status& none_left);
  void Commit();
  void Committed(const absl::Status& status);
  void ForgetStudy();
  void CountGiven();
  // Fills the call's response; returns the answer to remember for repeats.
  std::string Render(BatchedCall* batched, const std::vector<TrialRecord>& trials) const;

  const LeaseBatchContext& context_;
  const std::string study_id_;
  std::vector<BatchedCall> calls_;  // Does not change between Commit and Committed.
  Finished finished_;
  std::shared_ptr<const CatalogStudy> study_;
  LeasePlan plan_;
  Deadline deadline_ = Deadline::Infinite();  // The earliest of the calls'.
  std::unique_ptr<SuggestionWork> work_;      // While suggestions are being made.
  std::vector<Provenance> given_;             // Those of the suggestions that the calls get.
  // Whether these are to be counted as used (PreparedSuggestions).
  bool counts_as_used_ = false;
  std::vector<SuggestCall> postponed_;  // Has room for all calls.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LEASE_BATCH_H_
