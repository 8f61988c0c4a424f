// Suggest, one batch at a time for each study: calls that wait while a batch is
// computed and committed are answered together by the next one. Nothing is
// computed under a lock, and studies do not wait for each other. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_
#define SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

 private:
  struct StudyQueue {
    std::deque<SuggestCall> waiting;
    bool running = false;
  };

  void RunBatch(const std::string& study_id);
  std::vector<SuggestCall> TakeBatch(const std::string& study_id);
  void FinishBatch(const std::string& study_id, std::vector<SuggestCall> again);

  const LeaseBatchContext context_;
  Executor* const executor_;
  std::mutex mutex_;
  std::condition_variable idle_;  // Signalled when studies_ becomes empty.
  absl::flat_hash_map<std::string, StudyQueue> studies_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_
