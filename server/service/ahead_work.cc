#include "server/service/ahead_work.h"

#include <algorithm>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// Suggestions for more workers would be void before they are asked for: each result makes them so.
constexpr int64_t kMostAhead = 8;
// With more busy workers, callers ask all the time, and no thread is idle to precompute.
constexpr int kMostWorkersOut = 16;

}  // namespace

AheadWork::AheadWork(const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
                     std::function<bool()> is_needed_elsewhere, std::function<void()> finished)
    : context_(context),
      executor_(context.executor),
      study_(std::move(study)),
      is_needed_elsewhere_(std::move(is_needed_elsewhere)),
      finished_(std::move(finished)),
      deadline_(Deadline::In(context.options->suggest_budget).WithStop(context.stop)) {}

std::shared_ptr<AheadWork> AheadWork::Make(const LeaseBatchContext& context,
                                           std::shared_ptr<const CatalogStudy> study,
                                           std::function<bool()> is_needed_elsewhere,
                                           std::function<void()> finished) {
  return std::shared_ptr<AheadWork>(new AheadWork(
      context, std::move(study), std::move(is_needed_elsewhere), std::move(finished)));
}

void AheadWork::Hurry() {
  if (is_hurried_.exchange(true)) return;
  // Without memory for that it goes on in its later turn.
  if (awaits_turn_) AwaitTurn(Executor::Turn::kFirst).IgnoreError();
}

absl::Status AheadWork::AwaitTurn(Executor::Turn turn) {
  return OrOutOfMemory([&] {
    executor_->Continue(
        [self = shared_from_this()] {
          if (self->awaits_turn_.exchange(false)) self->TakeTurn();
        },
        turn);
    return absl::OkStatus();
  });
}

void AheadWork::TakeTurn() {
  const absl::StatusOr<bool> has_more = OrOutOfMemory([this] { return Compute(); });
  if (has_more.ok() && *has_more) {
    awaits_turn_ = true;
    if (AwaitTurn(is_hurried_ ? Executor::Turn::kFirst : Executor::Turn::kLater).ok()) return;
    if (!awaits_turn_.exchange(false)) return;  // Who hurried it has taken the turn.
  }
  work_.reset();
  finished_();
}

absl::StatusOr<bool> AheadWork::Compute() {
  if (work_ == nullptr) SLIPSTREAM_RETURN_IF_ERROR(Begin());
  if (work_ == nullptr) return false;
  if (!work_->Made().empty() && is_needed_elsewhere_()) {
    work_->KeepAhead();
    return false;
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool are_all, work_->TakeTurn(count_, deadline_));
  if (!are_all && !deadline_.has_passed() && !is_needed_elsewhere_()) return true;
  work_->KeepAhead();
  return false;
}

// Leaves work_ null where there is nothing to do.
absl::Status AheadWork::Begin() {
  if (is_needed_elsewhere_()) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const LeasePlan plan,
      context_.store->PlanLeases(study_->key, study_->id, {}, kMostWorkersOut + 1));
  if (plan.study.state != StudyState::kActive) return absl::OkStatus();
  // Open trials are read anew each time, which takes long where many are queued.
  if (plan.queued.size() > size_t{kMostWorkersOut}) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const StudyHistory> history,
                              context_.histories->Get(*study_, plan.study.late_count));
  const auto open = static_cast<int64_t>(history->open().size());
  if (open > kMostWorkersOut) return absl::OkStatus();
  const HistoryVersion version{plan.study.trial_count, plan.study.suggested_count,
                               static_cast<int64_t>(history->ended().size()), open,
                               plan.study.late_count};
  if (context_.prepared->Has(study_->key, version)) return absl::OkStatus();
  count_ = static_cast<int>(std::clamp<int64_t>(open, 1, kMostAhead));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      work_, SuggestionWork::Start(context_, study_, plan.study, count_, /*is_ahead=*/true));
  return absl::OkStatus();
}

}  // namespace slipstream
