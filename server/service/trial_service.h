// The calls about trials, free of any transport: requests and answers are
// messages, errors are absl::Status with an InvalidField where a field is wrong.
// proto/slipstream/v1/services.proto says what each call does.
//
// Every call answers through `done`, exactly once, perhaps before it returns and
// perhaps later on another thread; request and response must live until then.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_TRIAL_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_TRIAL_SERVICE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/service/answering.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/meant_trial.h"
#include "server/service/study_finder.h"
#include "server/service/suggest_queue.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class TrialService {
 public:
  // All pointers must outlive the service. `reads` runs what reads the store.
  TrialService(Store* store, Catalog* catalog, SuggestQueue* queue, Executor* reads,
               size_t full_page_bytes)
      : store_(*store),
        queue_(*queue),
        reads_(reads),
        full_page_bytes_(full_page_bytes),
        finder_(catalog, reads) {}

  // Nothing is leased to a call that is cancelled before the commit; `is_cancelled` is asked on any
  // thread until the call is answered.
  void Suggest(const v1::SuggestRequest* request, v1::SuggestResponse* response, Done done,
               std::function<bool()> is_cancelled);
  void Suggest(const v1::SuggestRequest* request, v1::SuggestResponse* response, Done done) {
    Suggest(request, response, std::move(done), [] { return false; });
  }
  void Observe(const v1::ObserveRequest* request, v1::Trial* response, Done done);
  void AddTrials(const v1::AddTrialsRequest* request, v1::AddTrialsResponse* response, Done done);
  void UpdateTrial(const v1::UpdateTrialRequest* request, v1::Trial* response, Done done);
  void GetTrial(const v1::GetTrialRequest* request, v1::Trial* response, Done done);
  void ListTrials(const v1::ListTrialsRequest* request, v1::ListTrialsResponse* response,
                  Done done);
  void BestTrials(const v1::BestTrialsRequest* request, v1::BestTrialsResponse* response,
                  Done done);
  void Explain(const v1::ExplainRequest* request, v1::Explanation* response, Done done);

 private:
  using StudyPointer = StudyFinder::StudyPointer;

  void StoreOutcome(const StudyPointer& study, const v1::ObserveRequest& request,
                    const MeantTrial& trial, v1::Trial* response, Done done);
  void ReadEnded(MeantTrial trial, const std::string& created, v1::Trial* response, Done done);
  // Answers a request that was answered before with its first answer, and others with `refusal`.
  void AnswerRepeatOr(absl::Status refusal, const v1::AddTrialsRequest& request,
                      v1::AddTrialsResponse* response, const Done& done);
  void StoreAddedTrials(const StudyPointer& study, const v1::AddTrialsRequest& request,
                        v1::AddTrialsResponse* response, Done done);

  Store& store_;
  SuggestQueue& queue_;
  Executor* const reads_;
  const size_t full_page_bytes_;
  StudyFinder finder_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_TRIAL_SERVICE_H_
