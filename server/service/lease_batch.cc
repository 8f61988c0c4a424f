#include "server/service/lease_batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/refusals.h"
#include "core/base/status.h"
#include "server/convert/trial_conversion.h"
#include "server/service/answering.h"
#include "server/service/suggestion_work.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

constexpr int kMaxAttempts = 20;

// How many trials of the study fit into one answer, however long their values are.
int64_t MostTrialsOfAnswer(const ServiceOptions& options, const CatalogStudy& study) {
  return static_cast<int64_t>(static_cast<size_t>(options.max_message_bytes) /
                              study.most_trial_bytes);
}

}  // namespace

bool AsksTooMany(const SuggestCall& call, const ServiceOptions& options,
                 const CatalogStudy& study) {
  return call.count > MostTrialsOfAnswer(options, study);
}

void CountSuggestion(const LeaseBatchContext& context, const CatalogStudy& study,
                     const Provenance& provenance) {
  context.ladder->Count(provenance.rung);
  if (!study.definition.source_ids.empty()) {
    double weight = 0;
    for (const SourceWeight& source : provenance.sources) weight += source.weight;
    context.ladder->CountTransfer(weight);
  }
  if (provenance.rung != Rung::kRecipe && context.options->on_step_down) {
    context.options->on_step_down(study.id, provenance.rung, provenance.rung_reason);
  }
}

// How many trials the call still needs.
int LeaseBatchWork::BatchedCall::Missing() const {
  return call.count -
         static_cast<int>(grant.again.size() + grant.queued.size() + grant.fresh.size());
}

LeaseBatchWork::LeaseBatchWork(const LeaseBatchContext& context, const std::string& study_id,
                               size_t calls)
    : context_(context), study_id_(study_id) {
  calls_.reserve(calls);
  postponed_.reserve(calls);
}

void LeaseBatchWork::Start(const LeaseBatchContext& context, const std::string& study_id,
                           std::vector<SuggestCall> calls, Finished finished) {
  std::shared_ptr<LeaseBatchWork> work;
  const absl::Status begun = OrOutOfMemory([&] {
    work.reset(new LeaseBatchWork(context, study_id, calls.size()));
    return absl::OkStatus();
  });
  if (!begun.ok()) {
    for (const SuggestCall& call : calls) call.done(begun);
    return finished({});
  }
  for (SuggestCall& call : calls) work->calls_.push_back({std::move(call)});
  work->finished_ = std::move(finished);
  work->TakeTurn();
}

LeaseBatchWork::~LeaseBatchWork() = default;

void LeaseBatchWork::TakeTurn() {
  absl::StatusOr<Next> next =
      OrOutOfMemory([this] { return work_ == nullptr ? Begin() : GoOn(); });
  if (next.ok() && *next == Next::kAnotherTurn) {
    const absl::Status waits = OrOutOfMemory([this] {
      context_.executor->Continue([self = shared_from_this()] { self->TakeTurn(); },
                                  Executor::Turn::kLater);
      return absl::OkStatus();
    });
    if (waits.ok()) return;
    next = waits;
  }
  if (context_.stop.stop_requested()) next = ShuttingDown();
  if (work_ != nullptr && next.ok()) work_->KeepFurther();
  work_.reset();
  absl::Status status = next.status();
  if (next.ok() && *next == Next::kCommit) {
    status = OrOutOfMemory([this] {
      Commit();
      return absl::OkStatus();
    });
    if (status.ok()) return;
  }
  Committed(status);
}

absl::StatusOr<LeaseBatchWork::Next> LeaseBatchWork::Begin() {
  DropCancelled();
  AnswerRepeats();
  if (calls_.empty()) return Next::kAnswer;
  SLIPSTREAM_ASSIGN_OR_RETURN(study_, context_.catalog->GetStudy(study_id_));
  if (AnyAsksTooMany() && context_.catalog->ForgetIfGone(*study_)) {
    SLIPSTREAM_ASSIGN_OR_RETURN(study_, context_.catalog->GetStudy(study_id_));
  }
  RefuseTooMany();
  if (calls_.empty()) return Next::kAnswer;
  SLIPSTREAM_RETURN_IF_ERROR(Plan());
  RefuseThoseOfOtherStudies();
  if (calls_.empty()) return Next::kAnswer;
  AssignExistingTrials();
  if (plan_.study.state != StudyState::kActive) {
    RefuseThoseWithoutTrials();
    return calls_.empty() ? Next::kAnswer : Next::kCommit;
  }
  if (Missing() == 0) return Next::kCommit;
  deadline_ = calls_.front().call.deadline;
  for (const BatchedCall& batched : calls_) {
    if (batched.call.deadline.moment() < deadline_.moment()) deadline_ = batched.call.deadline;
  }
  deadline_ = deadline_.WithStop(context_.stop);
  absl::StatusOr<std::unique_ptr<SuggestionWork>> work =
      SuggestionWork::Start(context_, study_, plan_.study, Missing());
  if (absl::IsFailedPrecondition(work.status())) {
    Distribute({}, /*are_all=*/true, MarkedError(kCandidatesUsedUp, work.status().message()));
    return calls_.empty() ? Next::kAnswer : Next::kCommit;
  }
  SLIPSTREAM_RETURN_IF_ERROR(work.status());
  work_ = *std::move(work);
  return GoOn();
}

absl::StatusOr<LeaseBatchWork::Next> LeaseBatchWork::GoOn() {
  DropCancelled();
  if (calls_.empty()) return Next::kAnswer;
  absl::StatusOr<bool> are_all = work_->TakeTurn(Missing(), deadline_);
  const bool is_late = are_all.ok() && !*are_all && deadline_.has_passed();
  if (are_all.ok() && !*are_all && !is_late) return Next::kAnotherTurn;
  if (is_late) are_all = work_->Finish(MarkLate(), deadline_);
  DropCancelled();
  if (absl::IsFailedPrecondition(are_all.status())) {
    Distribute({}, /*are_all=*/true,
               MarkedError(kCandidatesUsedUp, are_all.status().message()));
  } else {
    SLIPSTREAM_RETURN_IF_ERROR(are_all.status());
    counts_as_used_ = work_->counts_as_used();
    Distribute(work_->Made(), !is_late,
               MarkedError(kCandidatesUsedUp,
                           absl::StrCat(NameOfStudy(study_id_),
                                        ": its candidate list is used up: each candidate has a "
                                        "trial; allow_repeats would suggest them again")));
  }
  return calls_.empty() ? Next::kAnswer : Next::kCommit;
}

// Calls that nobody waits for get no trials.
void LeaseBatchWork::DropCancelled() {
  Refuse([](const BatchedCall& batched) {
    return batched.call.is_cancelled()
               ? absl::CancelledError(
                     "the caller no longer waits for the answer; nothing is leased")
               : absl::OkStatus();
  });
}

// All refusals are made before the first one is told: without memory for one, no call has left.
void LeaseBatchWork::Refuse(absl::FunctionRef<absl::Status(const BatchedCall&)> refusal) {
  std::vector<absl::Status> refusals;
  refusals.reserve(calls_.size());
  for (const BatchedCall& batched : calls_) refusals.push_back(refusal(batched));
  auto told = refusals.begin();
  std::erase_if(calls_, [&told](const BatchedCall& batched) {
    const absl::Status& status = *told++;
    if (!status.ok()) batched.call.done(status);
    return !status.ok();
  });
}

int LeaseBatchWork::Missing() const {
  int missing = 0;
  for (const BatchedCall& batched : calls_) missing += batched.Missing();
  return missing;
}

// As calls are served in their order, all before the last one that is late are served, too.
int LeaseBatchWork::MarkLate() {
  int missing = 0;
  int of_late = 0;
  for (BatchedCall& batched : calls_) {
    missing += batched.Missing();
    batched.is_late = batched.call.deadline.has_passed();
    if (batched.is_late) of_late = missing;
  }
  return of_late;
}

// Calls that were answered before get that answer and leave the batch.
void LeaseBatchWork::AnswerRepeats() {
  std::erase_if(calls_, [this](const BatchedCall& batched) {
    const SuggestCall& call = batched.call;
    return AnswerRepeat(context_.store, call.guard, call.response, call.done);
  });
}

bool LeaseBatchWork::AnyAsksTooMany() const {
  return std::any_of(calls_.begin(), calls_.end(), [this](const BatchedCall& batched) {
    return AsksTooMany(batched.call, *context_.options, *study_);
  });
}

// Refuses calls before anything is leased: a trial in an answer that is too large
// to send would be lost.
void LeaseBatchWork::RefuseTooMany() {
  Refuse([this](const BatchedCall& batched) {
    if (!AsksTooMany(batched.call, *context_.options, *study_)) return absl::OkStatus();
    return InvalidField(
        "count", absl::StrCat(batched.call.count),
        absl::StrCat("at most ", MostTrialsOfAnswer(*context_.options, *study_), ", as a trial of ",
                     NameOfStudy(study_id_), " may take up to ", study_->most_trial_bytes,
                     " bytes and an answer ", context_.options->max_message_bytes));
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

// Needs the plan's study: the cached one may have been deleted, and a call may mean its successor.
void LeaseBatchWork::RefuseThoseOfOtherStudies() {
  const absl::Status replaced = StudyReplaced(study_id_);
  size_t kept = 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const int64_t create_ms = plan_.study.create_ms;
    if (calls_[i].call.study_create_ms.value_or(create_ms) != create_ms) {
      calls_[i].call.done(replaced);
      continue;
    }
    if (kept < i) {
      calls_[kept] = std::move(calls_[i]);
      plan_.active[kept] = std::move(plan_.active[i]);
    }
    ++kept;
  }
  calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(kept), calls_.end());
}

// A worker gets its own trials first, then queued ones, oldest first.
void LeaseBatchWork::AssignExistingTrials() {
  const bool active = plan_.study.state == StudyState::kActive;
  size_t next_queued = 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    BatchedCall& batched = calls_[i];
    LeaseGrant& grant = batched.grant;
    grant.worker = batched.call.worker;
    grant.process = batched.call.process;
    grant.guard = batched.call.guard;
    grant.again = std::move(plan_.active[i]);
    if (batched.Missing() < 0) grant.again.resize(static_cast<size_t>(batched.call.count));
    while (active && batched.Missing() > 0 && next_queued < plan_.queued.size()) {
      grant.queued.push_back(plan_.queued[next_queued++]);
    }
  }
}

// A study that is not ACTIVE leases nothing new, but a restarted trainer finds its trials.
void LeaseBatchWork::RefuseThoseWithoutTrials() {
  Refuse([this](const BatchedCall& batched) {
    if (!batched.grant.again.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfStudy(study_id_), plan_.study.state == StudyState::kPaused
                                                 ? " is PAUSED and makes no suggestions until its "
                                                   "state is ACTIVE again"
                                                 : " is COMPLETED and makes no suggestions"));
  });
}

void LeaseBatchWork::Distribute(const std::vector<Suggestion>& suggestions, bool are_all,
                                const absl::Status& none_left) {
  size_t next = 0;
  for (BatchedCall& batched : calls_) {
    while (batched.Missing() > 0 && next < suggestions.size()) {
      const Suggestion& suggestion = suggestions[next++];
      batched.grant.fresh.push_back(
          SuggestedTrial(*study_->definition.space, suggestion, context_.options->version));
      given_.push_back(suggestion.provenance);
    }
  }
  // Where there was too little memory for that, all calls are still there to be refused.
  std::vector<BatchedCall> served;
  served.reserve(calls_.size());
  for (BatchedCall& batched : calls_) {
    if (batched.Missing() > 0 && !are_all && !batched.is_late) {
      postponed_.push_back(std::move(batched.call));
    } else if (batched.Missing() == batched.call.count) {
      batched.call.done(none_left);
    } else {
      served.push_back(std::move(batched));
    }
  }
  calls_ = std::move(served);
}

// If it throws, the store has not been asked.
void LeaseBatchWork::Commit() {
  LeaseBatch batch;
  batch.study_key = study_->key;
  batch.study_id = study_id_;
  batch.expected_trial_count = plan_.study.trial_count;
  batch.passes_over_none = true;
  for (BatchedCall& batched : calls_) {
    batched.grant.render = [this, &batched](const std::vector<TrialRecord>& trials) {
      batched.fresh = static_cast<size_t>(
          std::count_if(trials.begin(), trials.end(), [this](const TrialRecord& trial) {
            return trial.number > plan_.study.trial_count;
          }));
      return Render(&batched, trials);
    };
    batched.grant.refuse = [&batched](const absl::Status& status) {
      batched.fresh = 0;
      batched.rendered = status;
    };
    batched.grant.is_cancelled = batched.call.is_cancelled;
    batch.grants.push_back(std::move(batched.grant));
  }
  batch.done = [self = shared_from_this()](const absl::Status& status) { self->Committed(status); };
  context_.store->LeaseTrials(std::move(batch));
}

std::string LeaseBatchWork::Render(BatchedCall* batched,
                                   const std::vector<TrialRecord>& trials) const {
  v1::SuggestResponse* response = batched->call.response;
  batched->rendered = LeasedTrialsToProto(study_id_, trials, response);
  if (batched->call.guard.request_id.empty()) return std::string();
  return AnswerToRemember(batched->rendered, *response);
}

void LeaseBatchWork::ForgetStudy() {
  context_.catalog->ForgetStudy(study_id_);
  if (study_ != nullptr && context_.prepared != nullptr) context_.prepared->Forget(study_->key);
}

// What refused calls were to get went to the others, so the first ones were leased.
void LeaseBatchWork::CountGiven() {
  size_t leased = 0;
  for (const BatchedCall& batched : calls_) leased += batched.fresh;
  given_.resize(std::min(leased, given_.size()));
  for (const Provenance& provenance : given_) CountSuggestion(context_, *study_, provenance);
  if (!counts_as_used_ || context_.prepared == nullptr) return;
  context_.prepared->CountUsed(study_->key, static_cast<int64_t>(given_.size()));
}

void LeaseBatchWork::Committed(const absl::Status& status) {
  // A study that is gone may have a successor of the same name.
  const bool overtaken = absl::IsAborted(status) || (absl::IsNotFound(status) && study_ != nullptr);
  if (absl::IsNotFound(status)) ForgetStudy();
  if (status.ok() && !given_.empty()) CountGiven();
  // Up to here it may be called again, without memory for it; from here on all takes place once.
  [&]() noexcept {
    for (BatchedCall& batched : calls_) {
      if (overtaken && ++batched.call.attempts < kMaxAttempts) {
        postponed_.push_back(std::move(batched.call));
      } else {
        batched.call.done(status.ok() ? batched.rendered : status);
      }
    }
    calls_.clear();
    finished_(std::move(postponed_));
  }();
}

}  // namespace slipstream
