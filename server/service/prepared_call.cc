#include "server/service/prepared_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/base/out_of_memory.h"
#include "server/convert/trial_conversion.h"
#include "server/service/answering.h"
#include "server/service/prepared_suggestions.h"
#include "server/store/store.h"

namespace slipstream {
namespace {

// One call on its way through its transaction.
class PreparedCall : public std::enable_shared_from_this<PreparedCall> {
 public:
  using Finished = std::function<void(std::optional<SuggestCall>)>;
  using Trials = std::vector<TrialRecord>;

  PreparedCall(const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
               SuggestCall call, Finished finished)
      : context_(context),
        study_(std::move(study)),
        call_(std::move(call)),
        finished_(std::move(finished)) {}

  void Start() {
    const absl::Status asked = OrOutOfMemory([this] {
      AskStore();
      return absl::OkStatus();
    });
    if (!asked.ok()) End(asked);
  }

 private:
  // If it throws, the store has not been asked.
  void AskStore() {
    const auto self = shared_from_this();
    PreparedLease lease;
    lease.study_key = study_->key;
    lease.study_id = study_->id;
    lease.study_create_ms = call_.study_create_ms;
    lease.worker = call_.worker;
    lease.process = call_.process;
    lease.count = call_.count;
    lease.is_cancelled = [self] { return self->BeginAttempt(); };
    lease.prepared = [self](const TrialCounts& counts, int count) {
      return self->Take(counts, count);
    };
    std::function<absl::Status(const Trials&, v1::SuggestResponse*)> convert =
        [self](const Trials& trials, v1::SuggestResponse* response) {
          self->CountNew(trials);
          return LeasedTrialsToProto(self->study_->id, trials, response);
        };
    context_.store->LeasePrepared(
        std::move(lease),
        AnsweringWrite<Trials>(call_.guard, call_.response, std::move(convert),
                               [self](absl::Status status) { self->End(std::move(status)); }));
  }

  // Called first in each attempt of the transaction. Whether nothing is to be leased.
  bool BeginAttempt() {
    next_ = {};
    new_ = 0;
    is_void_ = false;
    return context_.stop.stop_requested() || call_.is_cancelled();
  }

  PreparedTrials Take(const TrialCounts& counts, int count) {
    known_trials_ = counts.trials;
    next_ = context_.prepared->FindNext(study_->key, counts, count);
    // If these suggestions seem to hold, a later ABORTED means that one of the trials they depend
    // on has ended.
    is_void_ = !next_.holds || !next_.suggestions.empty();
    PreparedTrials taken{{}, next_.open};
    for (const PreparedSuggestion& each : next_.suggestions) taken.trials.push_back(each.trial);
    return taken;
  }

  // Where the study has no room for more, its worker gets none of what is prepared.
  void CountNew(const Trials& trials) {
    new_ = next_.suggestions.empty()
               ? 0
               : std::count_if(trials.begin(), trials.end(), [this](const TrialRecord& trial) {
                   return trial.number > known_trials_;
                 });
  }

  void End(absl::Status status) {
    const bool is_gone = absl::IsNotFound(status);
    if (absl::IsAborted(status) || is_gone) {
      if (is_void_ || is_gone) context_.prepared->Forget(study_->key);
      // A study that is gone may have a successor.
      return [&]() noexcept { finished_(std::move(call_)); }();
    }
    if (status.ok()) {
      for (const PreparedSuggestion& each : next_.suggestions.first(static_cast<size_t>(new_))) {
        CountSuggestion(context_, *study_, each.suggestion.provenance);
      }
      context_.prepared->CountUsed(study_->key, new_);
    }
    if (absl::IsCancelled(status) && context_.stop.stop_requested()) status = ShuttingDown();
    // Up to here it may be called again, without memory for it; what follows takes place once.
    [&]() noexcept {
      call_.done(std::move(status));
      finished_(std::nullopt);
    }();
  }

  const LeaseBatchContext& context_;
  const std::shared_ptr<const CatalogStudy> study_;
  SuggestCall call_;
  const Finished finished_;
  // What the last attempt of the transaction takes, and whether ABORTED means that what was
  // prepared no longer holds.
  PreparedSuggestions::Next next_;
  int64_t known_trials_ = 0;  // Of the study, before these.
  int64_t new_ = 0;           // How many of them were leased.
  bool is_void_ = false;
};

}  // namespace

std::shared_ptr<const CatalogStudy> FindPreparedStudy(const LeaseBatchContext& context,
                                                      const std::string& study_id) {
  if (context.prepared == nullptr || !context.options->prepare_ahead) return nullptr;
  std::shared_ptr<const CatalogStudy> study = context.catalog->FindStudy(study_id);
  return study != nullptr && context.prepared->HasUnused(study->key) ? study : nullptr;
}

void AnswerFromPrepared(const LeaseBatchContext& context,
                        std::shared_ptr<const CatalogStudy> study, SuggestCall&& call,
                        std::function<void(std::optional<SuggestCall>)> finished) {
  if (AsksTooMany(call, *context.options, *study)) return finished(std::move(call));
  std::make_shared<PreparedCall>(context, std::move(study), std::move(call), std::move(finished))
      ->Start();
}

}  // namespace slipstream
