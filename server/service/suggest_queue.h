// Suggest. Where suggestions were made beforehand, each call goes to the store by itself
// (prepared_call.h). Calls for which that does not suffice are planned and computed, one batch at a
// time for each study, and never while others of the study are on their way to the store: calls
// that wait while a batch is computed and committed are answered together by the next one, unless
// suggestions were made for them meanwhile. Nothing is computed under a lock. Studies take turns on
// the threads: a batch that takes long goes on behind those of others that wait. Once the context's
// stop was requested, all calls are answered UNAVAILABLE. Without memory, calls are refused and
// work ahead is left out. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_
#define SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/service/ahead_work.h"
#include "server/service/executor.h"
#include "server/service/lease_batch.h"
#include "server/service/suggest_call.h"

namespace slipstream {

class SuggestQueue {
 public:
  // Batches run on `executor`; it and all that `context` points to must outlive
  // the queue.
  SuggestQueue(LeaseBatchContext context, Executor* executor)
      : context_(std::move(context)), executor_(executor) {}
  // Waits until every call is answered.
  ~SuggestQueue();

  // Calls call.done exactly once, at once or later on another thread.
  // NOT_FOUND, FAILED_PRECONDITION (study not ACTIVE, candidates used up),
  // RESOURCE_EXHAUSTED, ABORTED (other writes kept changing the study), or the
  // store's and strategies' errors.
  void Suggest(SuggestCall call);

  // Precomputes the study's next suggestions when no caller waits for it, if its strategy reads
  // results; a study never computes twice at once.
  void PrepareAhead(const std::shared_ptr<const CatalogStudy>& study);

  // Returns when nothing is being computed or waiting.
  void WaitUntilIdle();

 private:
  using StudyPointer = std::shared_ptr<const CatalogStudy>;

  struct StudyQueue {
    std::vector<SuggestCall> waiting;
    // Whether a batch or a preparation runs, or waits for a thread.
    bool running = false;
    // Calls that the store may answer from what is prepared; none while `running`.
    int at_store = 0;
    StudyPointer to_prepare = nullptr;
    std::weak_ptr<AheadWork> preparation = {};  // The one that runs, if any.
    // Whether a task will prepare; whoever takes that away runs in its place.
    bool awaits_preparation = false;
  };

  // Those that may throw std::bad_alloc say so.

  // Takes the call, unless it throws or returns why the call is refused.
  absl::Status Take(SuggestCall& call);
  // With the lock: has the call wait, unless there is no memory for that.
  static absl::Status Keep(SuggestCall&& call, StudyQueue& queue);
  void RunBatch(const std::string& study_id);
  // Begins to prepare suggestions, or to compute them for calls that wait, or throws.
  void Prepare(StudyPointer study);
  void Compute(const std::string& study_id);
  void AskStore(const StudyPointer& study, SuggestCall call);
  // With the call if only a batch can answer it; with nothing once it was answered.
  void FinishAtStore(const std::string& study_id, std::optional<SuggestCall> call);
  // Starts a batch for a study that was idle; refuses its calls if the executor is full.
  void BeginBatch(const std::string& study_id);
  // Refuses the calls that wait for a batch that cannot begin.
  void RefuseWaiting(const std::string& study_id, const absl::Status& refusal);
  StudyPointer FindPreparedFor(const std::string& study_id,
                               const std::vector<SuggestCall>& calls) const;
  // With the lock, for a study that does nothing and for which no call waits.
  void OnIdle(const std::string& study_id, StudyQueue& queue);
  // With the lock: has the study's preparation wait behind everybody's first turn. False without
  // memory for the task.
  bool AwaitPreparation(const std::string& study_id, StudyQueue& queue);
  void RunPreparation(const std::string& study_id);
  // Null if calls wait, or there is nothing to prepare.
  std::shared_ptr<const CatalogStudy> TakeToPrepare(const std::string& study_id);
  bool HasWaiting(const std::string& study_id);
  // Takes none if it throws.
  std::vector<SuggestCall> TakeBatch(const std::string& study_id);
  // A study whose batch took more than its turn waits behind others for the next.
  void FinishBatch(const std::string& study_id, std::vector<SuggestCall> again,
                   const Deadline& turn);
  std::vector<SuggestCall> TakeAll(const std::string& study_id);

  const LeaseBatchContext context_;
  Executor* const executor_;
  std::mutex mutex_;
  std::condition_variable idle_;  // Signalled when nothing is left.
  // Abseil's maps do not survive running out of memory while they grow.
  std::unordered_map<std::string, StudyQueue> studies_;
  // Studies for which a task waits to prepare, which may find that it is no longer needed.
  std::unordered_set<std::string> preparations_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_
