#include "server/service/prepared_call.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/convert/trial_conversion.h"
#include "server/service/answering.h"
#include "server/service/prepared_suggestions.h"
#include "server/service/suggestion_work.h"
#include "server/store/store.h"

namespace slipstream {
namespace {

// One call on its way through its transaction.
class PreparedCall : public std::enable_shared_from_this<PreparedCall> {
 public:
  using Finished = std::function<void(std::optional<SuggestCall>)>;

  PreparedCall(const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
               SuggestCall call, Finished finished)
      : context_(context),
        study_(std::move(study)),
        call_(std::move(call)),
        finished_(std::move(finished)) {}

  void Start() {
    PreparedLease lease;
    lease.study_key = study_->key;
    lease.study_id = study_->id;
    lease.study_create_ms = call_.study_create_ms;
    lease.worker = call_.worker;
    lease.process = call_.process;
    lease.count = call_.count;
    lease.is_cancelled = call_.is_cancelled;
    lease.prepared = [self = shared_from_this()](const TrialCounts& counts, int count) {
      return self->Take(counts, count);
    };
    std::function<absl::Status(const std::vector<TrialRecord>&, v1::SuggestResponse*)> convert =
        [self = shared_from_this()](const std::vector<TrialRecord>& trials,
                                    v1::SuggestResponse* response) {
          return LeasedTrialsToProto(self->study_->id, trials, response);
        };
    context_.store->LeasePrepared(
        std::move(lease),
        AnsweringWrite<std::vector<TrialRecord>>(
            call_.guard, call_.response, std::move(convert),
            [self = shared_from_this()](absl::Status status) { self->End(std::move(status)); }));
  }

 private:
  PreparedTrials Take(const TrialCounts& counts, int count) {
    given_ = context_.prepared->FindNext(study_->key, counts, count);
    PreparedTrials taken{{}, given_.open};
    for (const PreparedSuggestion& each : given_.suggestions) taken.trials.push_back(each.trial);
    return taken;
  }

  void End(absl::Status status) {
    // A study that is gone may have a successor, of which the batch will hear.
    if (absl::IsAborted(status) || absl::IsNotFound(status)) {
      context_.prepared->Forget(study_->key);
      return finished_(std::move(call_));
    }
    if (status.ok()) {
      for (const PreparedSuggestion& each : given_.suggestions) {
        CountSuggestion(context_, *study_, each.suggestion.provenance);
      }
      context_.prepared->CountUsed(study_->key, static_cast<int64_t>(given_.suggestions.size()));
    }
    call_.done(std::move(status));
    finished_(std::nullopt);
  }

  const LeaseBatchContext& context_;
  const std::shared_ptr<const CatalogStudy> study_;
  SuggestCall call_;
  const Finished finished_;
  PreparedSuggestions::Next given_;  // By the last attempt of the transaction.
};

}  // namespace

std::shared_ptr<const CatalogStudy> FindPreparedStudy(const LeaseBatchContext& context,
                                                      const std::string& study_id) {
  if (context.prepared == nullptr || !context.options->prepare_ahead) return nullptr;
  std::shared_ptr<const CatalogStudy> study = context.catalog->FindStudy(study_id);
  return study != nullptr && context.prepared->HasUnused(study->key) ? study : nullptr;
}

void AnswerFromPrepared(const LeaseBatchContext& context,
                        std::shared_ptr<const CatalogStudy> study, SuggestCall call,
                        std::function<void(std::optional<SuggestCall>)> finished) {
  if (call.count > MostTrialsOfAnswer(*context.options, *study)) return finished(std::move(call));
  std::make_shared<PreparedCall>(context, std::move(study), std::move(call), std::move(finished))
      ->Start();
}

}  // namespace slipstream
