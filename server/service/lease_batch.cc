#include "server/service/lease_batch.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/status.h"
#include "server/convert/resource_name.h"
#include "server/convert/trial_conversion.h"
#include "server/service/answering.h"

namespace slipstream {
namespace {

constexpr int kMaxAttempts = 20;

// Tells whether a source was asked for that is not ready.
class NotingProvider : public SourceProvider {
 public:
  explicit NotingProvider(SourceProvider* provider) : provider_(*provider) {}

  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override {
    absl::StatusOr<std::shared_ptr<const FittedSource>> fitted =
        provider_.Get(source, space, options);
    if (absl::IsUnavailable(fitted.status())) lacked_one_ = true;
    return fitted;
  }
  bool lacked_one() const { return lacked_one_; }

 private:
  SourceProvider& provider_;
  std::atomic<bool> lacked_one_{false};
};

}  // namespace

void LeaseBatchWork::Start(LeaseBatchContext context, std::string study_id,
                           std::vector<SuggestCall> calls, Finished finished) {
  std::shared_ptr<LeaseBatchWork> work(new LeaseBatchWork(std::move(context), std::move(study_id),
                                                          std::move(calls), std::move(finished)));
  const absl::StatusOr<bool> to_commit = work->Run();
  if (to_commit.ok() && *to_commit) {
    work->Commit();
  } else {
    work->Committed(to_commit.status());
  }
}

absl::StatusOr<bool> LeaseBatchWork::Run() {
  AnswerRepeats();
  if (calls_.empty()) return false;
  SLIPSTREAM_ASSIGN_OR_RETURN(study_, context_.catalog->GetStudy(study_id_));
  RefuseTooMany();
  if (calls_.empty()) return false;
  SLIPSTREAM_RETURN_IF_ERROR(Plan());
  HandOutWhatIsThere();
  if (plan_.study.state != StudyState::kActive) {
    SLIPSTREAM_RETURN_IF_ERROR(RenderWhilePaused());
    return false;
  }
  SLIPSTREAM_RETURN_IF_ERROR(MakeSuggestions());
  return !calls_.empty();
}

// Calls that were answered before get that answer and leave the batch.
void LeaseBatchWork::AnswerRepeats() {
  std::vector<SuggestCall> fresh;
  for (SuggestCall& call : calls_) {
    if (!AnswerRepeat(context_.store, call.guard, call.response, call.done)) {
      fresh.push_back(std::move(call));
    }
  }
  calls_ = std::move(fresh);
}

// Before anything is leased: an answer that cannot be sent would be lost.
void LeaseBatchWork::RefuseTooMany() {
  const size_t bytes = study_->most_trial_bytes;
  const auto most = static_cast<int64_t>(context_.max_answer_bytes / bytes);
  std::vector<SuggestCall> kept;
  for (SuggestCall& call : calls_) {
    if (call.count <= most) {
      kept.push_back(std::move(call));
    } else {
      call.done(InvalidField(
          "count", absl::StrCat(call.count),
          absl::StrCat("at most ", most, ", as a trial of ", StudyName(study_id_), " may take ",
                       bytes, " bytes and an answer ", context_.max_answer_bytes)));
    }
  }
  calls_ = std::move(kept);
}

absl::Status LeaseBatchWork::Plan() {
  std::vector<std::string> workers;
  int wanted = 0;
  for (const SuggestCall& call : calls_) {
    workers.push_back(call.worker);
    wanted += call.count;
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(plan_,
                              context_.store->PlanLeases(study_->key, study_id_, workers, wanted));
  return absl::OkStatus();
}

int LeaseBatchWork::Missing(size_t call) const {
  const LeaseGrant& grant = grants_[call];
  return calls_[call].count -
         static_cast<int>(grant.again.size() + grant.queued.size() + grant.fresh.size());
}

// First a worker's own trials, then queued ones, oldest first.
void LeaseBatchWork::HandOutWhatIsThere() {
  const bool active = plan_.study.state == StudyState::kActive;
  size_t next_queued = 0;
  grants_.resize(calls_.size());
  rendered_.resize(calls_.size());
  for (size_t i = 0; i < calls_.size(); ++i) {
    LeaseGrant& grant = grants_[i];
    grant.worker = calls_[i].worker;
    grant.guard = calls_[i].guard;
    grant.again = plan_.active[i];
    if (Missing(i) < 0) grant.again.resize(static_cast<size_t>(calls_[i].count));
    while (active && Missing(i) > 0 && next_queued < plan_.queued.size()) {
      grant.queued.push_back(plan_.queued[next_queued++]);
    }
    grant.render = [this, i](const std::vector<TrialRecord>& trials) { return Render(i, trials); };
  }
}

// A paused study leases nothing, but a restarted trainer finds its trials.
absl::Status LeaseBatchWork::RenderWhilePaused() {
  for (size_t i = 0; i < calls_.size(); ++i) {
    std::vector<TrialRecord> trials;
    for (const int64_t number : grants_[i].again) {
      SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial, context_.store->GetTrial(study_id_, number));
      if (trial.state == TrialState::kActive) trials.push_back(std::move(trial));
    }
    Render(i, trials);
    if (!trials.empty()) continue;
    rendered_[i] = absl::FailedPreconditionError(
        absl::StrCat(StudyName(study_id_),
                     plan_.study.state == StudyState::kPaused ? " is PAUSED" : " is COMPLETED",
                     " and makes no suggestions"));
  }
  return absl::OkStatus();
}

absl::Status LeaseBatchWork::MakeSuggestions() {
  int missing = 0;
  for (size_t i = 0; i < calls_.size(); ++i) missing += Missing(i);
  if (missing == 0) return absl::OkStatus();
  absl::StatusOr<std::vector<Suggestion>> suggestions = AskStrategy(missing);
  if (suggestions.ok()) {
    Distribute(*std::move(suggestions), absl::OkStatus());
  } else if (absl::IsFailedPrecondition(suggestions.status())) {
    Distribute({}, suggestions.status());
  } else {
    return suggestions.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Suggestion>> LeaseBatchWork::AskStrategy(int count) {
  const StudyDefinition& definition = study_->definition;
  StudyView view;
  view.space = definition.space.get();
  view.goal = definition.goal;
  view.noiseless = definition.noiseless;
  view.last_trial = plan_.study.trial_count;
  view.suggested = plan_.study.suggested_count;
  std::shared_ptr<const StudyHistory> history;
  if (study_->strategy->ReadsHistory(*definition.space)) {
    SLIPSTREAM_ASSIGN_OR_RETURN(history, context_.histories->Get(*study_));
    view.ended = history->ended();
    view.open = history->open();
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const Catalog::Sources sources,
                              context_.catalog->GetSourcesOf(*study_));
  view.sources = sources;
  NotingProvider provider(context_.sources);
  view.fitted_sources = &provider;
  SLIPSTREAM_ASSIGN_OR_RETURN(
      std::vector<Suggestion> suggestions,
      study_->strategy->Suggest(view, count, definition.seed, absl::Now() + context_.budget));
  for (const Suggestion& suggestion : suggestions) {
    context_.ladder->Count(suggestion.provenance.rung);
  }
  if (provider.lacked_one()) context_.on_unready_sources(study_id_);
  return suggestions;
}

// In the order of the calls. A call that gets nothing at all is answered with
// `none_left` and leaves the batch.
void LeaseBatchWork::Distribute(std::vector<Suggestion> suggestions,
                                const absl::Status& none_left) {
  const absl::Status used_up = none_left.ok()
                                   ? absl::FailedPreconditionError(absl::StrCat(
                                         StudyName(study_id_), ": its candidate list is used up"))
                                   : none_left;
  size_t next = 0;
  std::vector<SuggestCall> calls;
  std::vector<LeaseGrant> grants;
  for (size_t i = 0; i < calls_.size(); ++i) {
    while (Missing(i) > 0 && next < suggestions.size()) {
      grants_[i].fresh.push_back(
          SuggestedTrial(*study_->definition.space, suggestions[next++], context_.version));
    }
    if (Missing(i) == calls_[i].count) {
      calls_[i].done(used_up);
      continue;
    }
    grants_[i].render = [this, at = calls.size()](const std::vector<TrialRecord>& trials) {
      return Render(at, trials);
    };
    calls.push_back(std::move(calls_[i]));
    grants.push_back(std::move(grants_[i]));
  }
  calls_ = std::move(calls);
  grants_ = std::move(grants);
}

void LeaseBatchWork::Commit() {
  LeaseBatch batch;
  batch.study_key = study_->key;
  batch.study_id = study_id_;
  batch.expected_trial_count = plan_.study.trial_count;
  batch.grants = std::move(grants_);
  batch.done = [self = shared_from_this()](absl::Status status) {
    self->Committed(std::move(status));
  };
  context_.store->LeaseTrials(std::move(batch));
}

std::string LeaseBatchWork::Render(size_t call, const std::vector<TrialRecord>& trials) {
  v1::SuggestResponse* response = calls_[call].response;
  response->Clear();
  rendered_[call] = absl::OkStatus();
  std::vector<const TrialRecord*> order;
  for (const TrialRecord& trial : trials) order.push_back(&trial);
  std::sort(order.begin(), order.end(),
            [](const TrialRecord* a, const TrialRecord* b) { return a->number < b->number; });
  for (const TrialRecord* trial : order) {
    const absl::Status status = TrialToProto(study_id_, *trial, response->add_trials());
    if (!status.ok()) rendered_[call] = status;
  }
  return calls_[call].guard.request_id.empty() ? std::string() : response->SerializeAsString();
}

void LeaseBatchWork::Committed(absl::Status status) {
  // A study that is gone may have a successor of the same name.
  const bool overtaken = absl::IsAborted(status) || (absl::IsNotFound(status) && study_ != nullptr);
  if (absl::IsNotFound(status)) context_.catalog->ForgetStudy(study_id_);
  std::vector<SuggestCall> again;
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (overtaken && ++calls_[i].attempts < kMaxAttempts) {
      again.push_back(std::move(calls_[i]));
    } else {
      calls_[i].done(status.ok() ? rendered_[i] : status);
    }
  }
  finished_(std::move(again));
}

}  // namespace slipstream
