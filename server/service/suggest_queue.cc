#include "server/service/suggest_queue.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/service/prepared_call.h"
#include "server/store/resource_message.h"

namespace slipstream {

SuggestQueue::~SuggestQueue() { WaitUntilIdle(); }

void SuggestQueue::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return studies_.empty() && preparations_.empty(); });
}

void SuggestQueue::Suggest(SuggestCall call) {
  if (context_.stop.stop_requested()) return call.done(ShuttingDown());
  call.deadline = Deadline::In(context_.options->suggest_budget);
  const absl::Status taken = OrOutOfMemory([&] { return Take(call); });
  if (!taken.ok()) call.done(taken);
}

absl::Status SuggestQueue::Take(SuggestCall& call) {
  const std::string study_id = call.study_id;
  const StudyPointer prepared = FindPreparedStudy(context_, study_id);
  std::unique_lock<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_[study_id];
  const size_t most = context_.options->max_waiting_suggests_per_study;
  if (queue.waiting.size() >= most) {
    return OverloadError(
        absl::StrCat(NameOfStudy(study_id), " is busy: the limit of ", most,
                     " Suggest calls of a study that wait is reached; repeat the call later"));
  }
  if (prepared != nullptr && !queue.running && queue.waiting.empty()) {
    ++queue.at_store;
    lock.unlock();
    AskStore(prepared, std::move(call));
    return absl::OkStatus();
  }
  const absl::Status kept = Keep(std::move(call), queue);
  if (!kept.ok() && !queue.running && queue.at_store == 0) OnIdle(study_id, queue);
  if (!kept.ok() || queue.at_store > 0) return kept;  // The last of these begins a batch.
  const bool takes_over = std::exchange(queue.awaits_preparation, false);
  const bool is_running = std::exchange(queue.running, true) && !takes_over;
  // With the lock, so that this lives until then: work that ends waits for the lock.
  if (const auto preparation = queue.preparation.lock()) preparation->Hurry();
  lock.unlock();
  if (!is_running) BeginBatch(study_id);
  return absl::OkStatus();
}

void SuggestQueue::BeginBatch(const std::string& study_id) {
  const absl::Status accepted = OrOutOfMemory(
      [&] { return executor_->Run([this, study_id] { RunBatch(study_id); }); });
  if (!accepted.ok()) RefuseWaiting(study_id, accepted);
}

void SuggestQueue::RefuseWaiting(const std::string& study_id, const absl::Status& refusal) {
  for (const SuggestCall& refused : TakeAll(study_id)) refused.done(refusal);
  FinishBatch(study_id, {}, Deadline::Infinite());
}

void SuggestQueue::AskStore(const StudyPointer& study, SuggestCall call) {
  const absl::Status asked = OrOutOfMemory([&] {
    AnswerFromPrepared(context_, study, std::move(call),
                       [this, id = study->id](std::optional<SuggestCall> left) {
                         FinishAtStore(id, std::move(left));
                       });
    return absl::OkStatus();
  });
  if (asked.ok()) return;
  call.done(asked);
  FinishAtStore(study->id, std::nullopt);
}

void SuggestQueue::FinishAtStore(const std::string& study_id, std::optional<SuggestCall> call) {
  if (call.has_value()) {
    call->needs_batch = true;
    std::unique_lock<std::mutex> lock(mutex_);
    const absl::Status kept = Keep(*std::move(call), studies_.at(study_id));
    lock.unlock();
    if (!kept.ok()) call->done(kept);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    StudyQueue& queue = studies_.at(study_id);
    if (--queue.at_store > 0) return;
    if (context_.stop.stop_requested()) queue.to_prepare = nullptr;
    if (queue.waiting.empty()) return OnIdle(study_id, queue);
    queue.running = true;
  }
  BeginBatch(study_id);  // Which answers all calls if the stop was requested.
}

absl::Status SuggestQueue::Keep(SuggestCall&& call, StudyQueue& queue) {
  static_assert(std::is_nothrow_move_constructible_v<SuggestCall>);
  return OrOutOfMemory([&] {
    queue.waiting.push_back(std::move(call));
    return absl::OkStatus();
  });
}

void SuggestQueue::OnIdle(const std::string& study_id, StudyQueue& queue) {
  queue.running = queue.to_prepare != nullptr && AwaitPreparation(study_id, queue);
  if (queue.running) return;
  studies_.erase(study_id);
  if (studies_.empty() && preparations_.empty()) idle_.notify_all();
}

// Takes the calls that have waited longest, at most one per worker and request id:
// a worker that asks twice at once gets the same trials twice, which takes two
// batches.
std::vector<SuggestCall> SuggestQueue::TakeBatch(const std::string& study_id) {
  std::vector<SuggestCall> batch;
  std::vector<SuggestCall> left;
  const auto fits = [&](const SuggestCall& call) {
    return batch.size() < context_.options->max_suggests_per_batch &&
           std::none_of(batch.begin(), batch.end(), [&](const SuggestCall& other) {
             const std::string& id = call.guard.request_id;
             return other.worker == call.worker || (!id.empty() && other.guard.request_id == id);
           });
  };
  const std::lock_guard<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_.at(study_id);
  // No call is lost: nothing is allocated after this.
  batch.reserve(std::min(queue.waiting.size(), context_.options->max_suggests_per_batch));
  left.reserve(queue.waiting.size());
  for (SuggestCall& call : queue.waiting) {
    (fits(call) ? batch : left).push_back(std::move(call));
  }
  queue.waiting.swap(left);
  return batch;
}

void SuggestQueue::PrepareAhead(const std::shared_ptr<const CatalogStudy>& study) {
  if (!context_.options->prepare_ahead || context_.prepared == nullptr ||
      context_.stop.stop_requested() || !study->strategy->ReadsHistory(*study->definition.space)) {
    return;
  }
  const auto prepare = [&] {
    const std::lock_guard<std::mutex> lock(mutex_);
    StudyQueue& queue = studies_[study->id];
    queue.to_prepare = study;
    // Otherwise what goes on has the preparation begin when it ends.
    if (!queue.running && queue.at_store == 0) OnIdle(study->id, queue);
    return absl::OkStatus();
  };
  OrOutOfMemory(prepare).IgnoreError();
}

bool SuggestQueue::AwaitPreparation(const std::string& study_id, StudyQueue& queue) {
  bool is_first = false;
  const absl::Status waits = OrOutOfMemory([&] {
    is_first = preparations_.insert(study_id).second;
    if (!is_first) return absl::OkStatus();  // An earlier task will find it.
    executor_->Continue([this, study_id] { RunPreparation(study_id); }, Executor::Turn::kLater);
    return absl::OkStatus();
  });
  if (!waits.ok() && is_first) preparations_.erase(study_id);
  queue.awaits_preparation = waits.ok();
  return waits.ok();
}

void SuggestQueue::RunPreparation(const std::string& study_id) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    preparations_.erase(study_id);
    const auto found = studies_.find(study_id);
    const bool is_due =
        found != studies_.end() && std::exchange(found->second.awaits_preparation, false);
    if (!is_due) {
      if (studies_.empty() && preparations_.empty()) idle_.notify_all();
      return;
    }
  }
  RunBatch(study_id);
}

std::shared_ptr<const CatalogStudy> SuggestQueue::TakeToPrepare(const std::string& study_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_.at(study_id);
  if (!queue.waiting.empty()) return nullptr;
  return std::exchange(queue.to_prepare, nullptr);
}

bool SuggestQueue::HasWaiting(const std::string& study_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !studies_.at(study_id).waiting.empty();
}

void SuggestQueue::RunBatch(const std::string& study_id) {
  const absl::Status begun = OrOutOfMemory([&] {
    std::shared_ptr<const CatalogStudy> ahead = TakeToPrepare(study_id);
    ahead != nullptr ? Prepare(std::move(ahead)) : Compute(study_id);
    return absl::OkStatus();
  });
  if (!begun.ok()) RefuseWaiting(study_id, begun);
}

void SuggestQueue::Prepare(StudyPointer study) {
  const std::string study_id = study->id;
  const std::shared_ptr<AheadWork> preparation = AheadWork::Make(
      context_, std::move(study), [this, study_id] { return HasWaiting(study_id); },
      [this, study_id] { FinishBatch(study_id, {}, Deadline::Infinite()); });
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    studies_.at(study_id).preparation = preparation;
  }
  preparation->Run();
}

void SuggestQueue::Compute(const std::string& study_id) {
  const Deadline turn = Deadline::In(context_.options->suggest_turn);
  LeaseBatchWork::Finished finished = [this, study_id, turn](std::vector<SuggestCall> again) {
    FinishBatch(study_id, std::move(again), turn);
  };
  std::vector<SuggestCall> batch = TakeBatch(study_id);
  LeaseBatchWork::Start(context_, study_id, std::move(batch), std::move(finished));
}

void SuggestQueue::FinishBatch(const std::string& study_id, std::vector<SuggestCall> again,
                               const Deadline& turn) {
  if (context_.stop.stop_requested()) {
    for (SuggestCall& call : again) call.done(ShuttingDown());
    again.clear();
    for (SuggestCall& call : TakeAll(study_id)) call.done(ShuttingDown());
    TakeToPrepare(study_id);
  }
  StudyPointer prepared;
  std::vector<SuggestCall> to_store;
  const absl::Status goes_on = OrOutOfMemory([&] {
    const std::lock_guard<std::mutex> lock(mutex_);
    StudyQueue& queue = studies_.at(study_id);
    queue.waiting.insert(queue.waiting.begin(), std::make_move_iterator(again.begin()),
                         std::make_move_iterator(again.end()));
    again.clear();
    if (queue.waiting.empty()) {
      OnIdle(study_id, queue);
      return absl::OkStatus();
    }
    prepared = FindPreparedFor(study_id, queue.waiting);
    if (prepared == nullptr) {
      executor_->Continue([this, study_id] { RunBatch(study_id); },
                          turn.has_passed() ? Executor::Turn::kLater : Executor::Turn::kFirst);
      return absl::OkStatus();
    }
    to_store.swap(queue.waiting);
    queue.running = false;
    queue.at_store = static_cast<int>(to_store.size());
    return absl::OkStatus();
  });
  for (SuggestCall& call : to_store) AskStore(prepared, std::move(call));
  if (goes_on.ok()) return;
  for (const SuggestCall& call : again) call.done(goes_on);
  RefuseWaiting(study_id, goes_on);
}

// Null if nothing is prepared for the study, or one of its calls takes a batch.
SuggestQueue::StudyPointer SuggestQueue::FindPreparedFor(
    const std::string& study_id, const std::vector<SuggestCall>& calls) const {
  const bool takes_batch = std::any_of(calls.begin(), calls.end(), [](const SuggestCall& call) {
    return call.needs_batch || call.attempts > 0;
  });
  return takes_batch ? nullptr : FindPreparedStudy(context_, study_id);
}

std::vector<SuggestCall> SuggestQueue::TakeAll(const std::string& study_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(studies_.at(study_id).waiting, {});
}

}  // namespace slipstream
