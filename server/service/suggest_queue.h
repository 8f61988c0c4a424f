// Suggest, one batch at a time for each study: calls that wait while a batch
// is worked out and committed are answered by the next one together. Nothing
// is computed under a lock, and different studies do not wait for each other.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_
#define SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/sources/fitted_source.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/history.h"
#include "server/service/ladder_counts.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

struct SuggestOptions {
  // Written into every suggestion's provenance.
  std::string version;
  // How long one batch may compute before strategies step down the ladder.
  absl::Duration budget = absl::Seconds(5);
  // Called after suggestions for which a source was not ready.
  std::function<void(const std::string& study_id)> on_unready_sources = [](const std::string&) {};
  // Calls of one study that may wait; more get RESOURCE_EXHAUSTED.
  size_t max_waiting_per_study = 1000;
  // Calls whose trials might be longer together get INVALID_ARGUMENT.
  size_t max_answer_bytes = size_t{16} << 20;
  // Calls answered by one batch at most.
  size_t max_calls_per_batch = 128;
};

// One Suggest call with valid fields. `response` lives until `done` was called.
struct SuggestCall {
  std::string study_id;
  std::string worker;
  int count = 1;
  RequestGuard guard;
  v1::SuggestResponse* response = nullptr;
  std::function<void(absl::Status)> done;
  // Batches that had to leave the call to a later one.
  int attempts = 0;
};

class SuggestQueue {
 public:
  // All pointers must outlive the queue.
  SuggestQueue(Store* store, Catalog* catalog, SourceProvider* sources, HistoryCache* histories,
               Executor* executor, SuggestOptions options);
  // Waits until every call is answered.
  ~SuggestQueue();

  // Of the suggestions computed so far.
  const LadderCounts& ladder() const { return ladder_; }

  // Calls call.done exactly once, at once or later on another thread.
  // NOT_FOUND, FAILED_PRECONDITION (study not ACTIVE, candidates used up),
  // RESOURCE_EXHAUSTED, ABORTED (others changed the study all the time), or
  // the store's and strategies' errors.
  void Suggest(SuggestCall call);

 private:
  struct StudyQueue {
    std::deque<SuggestCall> waiting;
    bool running = false;
  };

  void RunBatch(const std::string& study_id);
  std::vector<SuggestCall> TakeBatch(const std::string& study_id);
  void FinishBatch(const std::string& study_id, std::vector<SuggestCall> again);

  Store* const store_;
  Catalog* const catalog_;
  SourceProvider* const sources_;
  HistoryCache* const histories_;
  Executor* const executor_;
  const SuggestOptions options_;
  LadderCounts ladder_;
  std::mutex mutex_;
  std::condition_variable idle_;  // Signalled when studies_ becomes empty.
  absl::flat_hash_map<std::string, StudyQueue> studies_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SUGGEST_QUEUE_H_
