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

// Records whether a source was asked for that is not ready.
class ReadinessRecorder : public SourceProvider {
 public:
  explicit ReadinessRecorder(SourceProvider* provider) : provider_(*provider) {}

  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override {
    absl::StatusOr<std::shared_ptr<const FittedSource>> fitted =
        provider_.Get(source, space, options);
    if (absl::IsUnavailable(fitted.status())) all_ready_ = false;
    return fitted;
  }
  bool all_ready() const { return all_ready_; }

 private:
  SourceProvider& provider_;
  std::atomic<bool> all_ready_{true};
};

}  // namespace

// How many trials the call still needs.
int LeaseBatchWork::BatchedCall::Missing() const {
  return call.count -
         static_cast<int>(grant.again.size() + grant.queued.size() + grant.fresh.size());
}

LeaseBatchWork::LeaseBatchWork(const LeaseBatchContext& context, std::string study_id,
                               std::vector<SuggestCall> calls, Finished finished)
    : context_(context), study_id_(std::move(study_id)), finished_(std::move(finished)) {
  calls_.reserve(calls.size());
  for (SuggestCall& call : calls) calls_.push_back({std::move(call)});
}

void LeaseBatchWork::Start(const LeaseBatchContext& context, std::string study_id,
                           std::vector<SuggestCall> calls, Finished finished) {
  std::shared_ptr<LeaseBatchWork> work(new LeaseBatchWork(
      context, std::move(study_id), std::move(calls), std::move(finished)));
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
  AssignExistingTrials();
  if (plan_.study.state != StudyState::kActive) {
    SLIPSTREAM_RETURN_IF_ERROR(RenderWithoutLeasing());
    return false;
  }
  SLIPSTREAM_RETURN_IF_ERROR(MakeSuggestions());
  return !calls_.empty();
}

// Calls that were answered before get that answer and leave the batch.
void LeaseBatchWork::AnswerRepeats() {
  std::erase_if(calls_, [this](const BatchedCall& batched) {
    const SuggestCall& call = batched.call;
    return AnswerRepeat(context_.store, call.guard, call.response, call.done);
  });
}

// Refuses calls before anything is leased: a trial in an answer that is too large
// to send would be lost.
void LeaseBatchWork::RefuseTooMany() {
  const size_t trial_bytes = study_->most_trial_bytes;
  const auto answer_bytes = static_cast<size_t>(context_.options->max_message_bytes);
  const auto most = static_cast<int64_t>(answer_bytes / trial_bytes);
  std::erase_if(calls_, [&](const BatchedCall& batched) {
    if (batched.call.count <= most) return false;
    batched.call.done(InvalidField(
        "count", absl::StrCat(batched.call.count),
        absl::StrCat("at most ", most, ", as a trial of ", StudyName(study_id_),
                     " may take up to ", trial_bytes, " bytes and an answer ", answer_bytes)));
    return true;
  });
}

absl::Status LeaseBatchWork::Plan() {
  std::vector<std::string> workers;
  int wanted = 0;
  for (const BatchedCall& batched : calls_) {
    workers.push_back(batched.call.worker);
    wanted += batched.call.count;
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(plan_,
                              context_.store->PlanLeases(study_->key, study_id_, workers, wanted));
  return absl::OkStatus();
}

// A worker gets its own trials first, then queued ones, oldest first.
void LeaseBatchWork::AssignExistingTrials() {
  const bool active = plan_.study.state == StudyState::kActive;
  size_t next_queued = 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    BatchedCall& batched = calls_[i];
    LeaseGrant& grant = batched.grant;
    grant.worker = batched.call.worker;
    grant.guard = batched.call.guard;
    grant.again = std::move(plan_.active[i]);
    if (batched.Missing() < 0) grant.again.resize(static_cast<size_t>(batched.call.count));
    while (active && batched.Missing() > 0 && next_queued < plan_.queued.size()) {
      grant.queued.push_back(plan_.queued[next_queued++]);
    }
  }
}

// A study that is not ACTIVE leases nothing, but a restarted trainer finds its
// trials.
absl::Status LeaseBatchWork::RenderWithoutLeasing() {
  std::vector<int64_t> numbers;
  for (const BatchedCall& batched : calls_) {
    numbers.insert(numbers.end(), batched.grant.again.begin(), batched.grant.again.end());
  }
  std::vector<TrialRecord> found;
  if (!numbers.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(found, context_.store->GetTrials(study_->ref(), numbers));
  }
  auto next = found.begin();
  for (BatchedCall& batched : calls_) {
    std::vector<TrialRecord> trials;
    for (size_t i = 0; i < batched.grant.again.size(); ++i, ++next) {
      if (next->state == TrialState::kActive) trials.push_back(std::move(*next));
    }
    Render(&batched, trials);
    if (!trials.empty()) continue;
    batched.rendered = absl::FailedPreconditionError(
        absl::StrCat(StudyName(study_id_),
                     plan_.study.state == StudyState::kPaused ? " is PAUSED" : " is COMPLETED",
                     " and makes no suggestions"));
  }
  return absl::OkStatus();
}

absl::Status LeaseBatchWork::MakeSuggestions() {
  int missing = 0;
  for (const BatchedCall& batched : calls_) missing += batched.Missing();
  if (missing == 0) return absl::OkStatus();
  const absl::StatusOr<std::vector<Suggestion>> suggestions = AskStrategy(missing);
  if (suggestions.ok()) {
    Distribute(*suggestions, absl::FailedPreconditionError(absl::StrCat(
                                 StudyName(study_id_), ": its candidate list is used up")));
  } else if (absl::IsFailedPrecondition(suggestions.status())) {
    Distribute({}, suggestions.status());
  } else {
    return suggestions.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Suggestion>> LeaseBatchWork::AskStrategy(int count) {
  ReadinessRecorder provider(context_.sources);
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTasks sources,
                              context_.catalog->GetSourcesOf(*study_));
  StudyView view = study_->View(sources, &provider);
  view.last_trial = plan_.study.trial_count;
  view.suggested = plan_.study.suggested_count;
  std::shared_ptr<const StudyHistory> history;
  if (study_->strategy->ReadsHistory(*view.space)) {
    SLIPSTREAM_ASSIGN_OR_RETURN(history, context_.histories->Get(*study_));
    view.ended = history->ended();
    view.open = history->open();
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(
      std::vector<Suggestion> suggestions,
      study_->strategy->Suggest(view, count, study_->definition.seed,
                                absl::Now() + context_.options->suggest_budget));
  for (const Suggestion& suggestion : suggestions) {
    context_.ladder->Count(suggestion.provenance.rung);
  }
  if (!provider.all_ready()) context_.on_unready_sources(study_id_);
  return suggestions;
}

// Gives the suggestions to the calls, in their order. A call that gets nothing at
// all is answered with `none_left` and leaves the batch.
void LeaseBatchWork::Distribute(const std::vector<Suggestion>& suggestions,
                                const absl::Status& none_left) {
  size_t next = 0;
  for (BatchedCall& batched : calls_) {
    while (batched.Missing() > 0 && next < suggestions.size()) {
      batched.grant.fresh.push_back(SuggestedTrial(
          *study_->definition.space, suggestions[next++], context_.options->version));
    }
  }
  std::erase_if(calls_, [&](const BatchedCall& batched) {
    if (batched.Missing() < batched.call.count) return false;
    batched.call.done(none_left);
    return true;
  });
}

void LeaseBatchWork::Commit() {
  LeaseBatch batch;
  batch.study_key = study_->key;
  batch.study_id = study_id_;
  batch.expected_trial_count = plan_.study.trial_count;
  for (BatchedCall& batched : calls_) {
    batched.grant.render = [this, &batched](const std::vector<TrialRecord>& trials) {
      return Render(&batched, trials);
    };
    batch.grants.push_back(std::move(batched.grant));
  }
  batch.done = [self = shared_from_this()](const absl::Status& status) {
    self->Committed(status);
  };
  context_.store->LeaseTrials(std::move(batch));
}

std::string LeaseBatchWork::Render(BatchedCall* batched,
                                   const std::vector<TrialRecord>& trials) const {
  v1::SuggestResponse* response = batched->call.response;
  response->Clear();
  batched->rendered = absl::OkStatus();
  std::vector<const TrialRecord*> order;
  for (const TrialRecord& trial : trials) order.push_back(&trial);
  std::sort(order.begin(), order.end(),
            [](const TrialRecord* a, const TrialRecord* b) { return a->number < b->number; });
  for (const TrialRecord* trial : order) {
    const absl::Status status = TrialToProto(study_id_, *trial, response->add_trials());
    if (!status.ok()) batched->rendered = status;
  }
  return batched->call.guard.request_id.empty() ? std::string() : response->SerializeAsString();
}

void LeaseBatchWork::Committed(const absl::Status& status) {
  // A study that is gone may have a successor of the same name.
  const bool overtaken = absl::IsAborted(status) || (absl::IsNotFound(status) && study_ != nullptr);
  if (absl::IsNotFound(status)) context_.catalog->ForgetStudy(study_id_);
  std::vector<SuggestCall> again;
  for (BatchedCall& batched : calls_) {
    if (overtaken && ++batched.call.attempts < kMaxAttempts) {
      again.push_back(std::move(batched.call));
    } else {
      batched.call.done(status.ok() ? batched.rendered : status);
    }
  }
  finished_(std::move(again));
}

}  // namespace slipstream
