#include "server/service/suggest_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
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
  const std::string study_id = call.study_id;
  const StudyPointer prepared = FindPreparedStudy(context_, study_id);
  std::unique_lock<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_[study_id];
  const size_t most = context_.options->max_waiting_suggests_per_study;
  if (queue.waiting.size() >= most) {
    lock.unlock();
    call.done(OverloadError(
        absl::StrCat(NameOfStudy(study_id), " is busy: the limit of ", most,
                     " Suggest calls of a study that wait is reached; repeat the call later")));
    return;
  }
  if (prepared != nullptr && !queue.running && queue.waiting.empty()) {
    ++queue.at_store;
    lock.unlock();
    return AskStore(prepared, std::move(call));
  }
  queue.waiting.push_back(std::move(call));
  if (queue.at_store > 0) return;  // The last of these begins a batch.
  const bool takes_over = std::exchange(queue.awaits_preparation, false);
  const bool is_running = std::exchange(queue.running, true) && !takes_over;
  // With the lock, so that this lives until then: work that ends waits for the lock.
  if (const auto preparation = queue.preparation.lock()) preparation->Hurry();
  lock.unlock();
  if (!is_running) BeginBatch(study_id);
}

void SuggestQueue::BeginBatch(const std::string& study_id) {
  const absl::Status accepted = executor_->Run([this, study_id] { RunBatch(study_id); });
  if (accepted.ok()) return;
  for (SuggestCall& refused : TakeBatch(study_id)) refused.done(accepted);
  FinishBatch(study_id, {}, Deadline::Infinite());
}

void SuggestQueue::AskStore(const StudyPointer& study, SuggestCall call) {
  AnswerFromPrepared(context_, study, std::move(call),
                     [this, id = study->id](std::optional<SuggestCall> left) {
                       FinishAtStore(id, std::move(left));
                     });
}

void SuggestQueue::FinishAtStore(const std::string& study_id, std::optional<SuggestCall> call) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    StudyQueue& queue = studies_[study_id];
    if (call.has_value()) {
      call->needs_batch = true;
      queue.waiting.push_back(*std::move(call));
    }
    if (--queue.at_store > 0) return;
    if (context_.stop.stop_requested()) queue.to_prepare = nullptr;
    if (queue.waiting.empty()) return OnIdle(study_id, queue);
    queue.running = true;
  }
  BeginBatch(study_id);  // Which answers all calls if the stop was requested.
}

void SuggestQueue::OnIdle(const std::string& study_id, StudyQueue& queue) {
  if (queue.to_prepare != nullptr) {
    queue.running = true;
    return AwaitPreparation(study_id, queue);
  }
  studies_.erase(study_id);
  if (studies_.empty() && preparations_.empty()) idle_.notify_all();
}

// Takes the calls that have waited longest, at most one per worker and request id:
// a worker that asks twice at once gets the same trials twice, which takes two
// batches.
std::vector<SuggestCall> SuggestQueue::TakeBatch(const std::string& study_id) {
  std::vector<SuggestCall> batch;
  std::deque<SuggestCall> left;
  absl::flat_hash_set<std::string> workers;
  absl::flat_hash_set<std::string> request_ids;
  const std::lock_guard<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_[study_id];
  for (SuggestCall& call : queue.waiting) {
    const std::string& id = call.guard.request_id;
    const bool fits = batch.size() < context_.options->max_suggests_per_batch &&
                      !workers.contains(call.worker) && (id.empty() || !request_ids.contains(id));
    if (fits) {
      workers.insert(call.worker);
      request_ids.insert(id);
    }
    (fits ? batch.emplace_back() : left.emplace_back()) = std::move(call);
  }
  queue.waiting = std::move(left);
  return batch;
}

void SuggestQueue::PrepareAhead(const std::shared_ptr<const CatalogStudy>& study) {
  if (!context_.options->prepare_ahead || context_.prepared == nullptr ||
      context_.stop.stop_requested() || !study->strategy->ReadsHistory(*study->definition.space)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_[study->id];
  queue.to_prepare = study;
  if (queue.at_store > 0) return;  // The last of these begins the preparation.
  if (!std::exchange(queue.running, true)) AwaitPreparation(study->id, queue);
}

void SuggestQueue::AwaitPreparation(const std::string& study_id, StudyQueue& queue) {
  queue.awaits_preparation = true;
  if (!preparations_.insert(study_id).second) return;  // An earlier task will find it.
  executor_->Continue([this, study_id] { RunPreparation(study_id); }, Executor::Turn::kLater);
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
  StudyQueue& queue = studies_[study_id];
  if (!queue.waiting.empty()) return nullptr;
  return std::exchange(queue.to_prepare, nullptr);
}

bool SuggestQueue::HasWaiting(const std::string& study_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !studies_[study_id].waiting.empty();
}

void SuggestQueue::RunBatch(const std::string& study_id) {
  if (std::shared_ptr<const CatalogStudy> ahead = TakeToPrepare(study_id)) {
    const std::shared_ptr<AheadWork> preparation = AheadWork::Make(
        context_, std::move(ahead), [this, study_id] { return HasWaiting(study_id); },
        [this, study_id] { FinishBatch(study_id, {}, Deadline::Infinite()); });
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      studies_[study_id].preparation = preparation;
    }
    return preparation->Run();
  }
  const Deadline turn = Deadline::In(context_.options->suggest_turn);
  LeaseBatchWork::Start(context_, study_id, TakeBatch(study_id),
                        [this, study_id, turn](std::vector<SuggestCall> again) {
                          FinishBatch(study_id, std::move(again), turn);
                        });
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
  std::deque<SuggestCall> to_store;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    StudyQueue& queue = studies_[study_id];
    queue.waiting.insert(queue.waiting.begin(), std::make_move_iterator(again.begin()),
                         std::make_move_iterator(again.end()));
    if (queue.waiting.empty()) return OnIdle(study_id, queue);
    prepared = FindPreparedFor(study_id, queue.waiting);
    if (prepared != nullptr) {
      to_store.swap(queue.waiting);
      queue.running = false;
      queue.at_store = static_cast<int>(to_store.size());
    }
  }
  for (SuggestCall& call : to_store) AskStore(prepared, std::move(call));
  if (prepared != nullptr) return;
  executor_->Continue([this, study_id] { RunBatch(study_id); },
                      turn.has_passed() ? Executor::Turn::kLater : Executor::Turn::kFirst);
}

// Null if nothing is prepared for the study, or one of its calls takes a batch.
SuggestQueue::StudyPointer SuggestQueue::FindPreparedFor(
    const std::string& study_id, const std::deque<SuggestCall>& calls) const {
  const bool takes_batch = std::any_of(calls.begin(), calls.end(), [](const SuggestCall& call) {
    return call.needs_batch || call.attempts > 0;
  });
  return takes_batch ? nullptr : FindPreparedStudy(context_, study_id);
}

std::deque<SuggestCall> SuggestQueue::TakeAll(const std::string& study_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(studies_[study_id].waiting, {});
}

}  // namespace slipstream
