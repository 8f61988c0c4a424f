#include "server/service/suggest_queue.h"

#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "server/convert/resource_name.h"

namespace slipstream {

SuggestQueue::~SuggestQueue() {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return studies_.empty(); });
}

void SuggestQueue::Suggest(SuggestCall call) {
  const std::string study_id = call.study_id;
  std::unique_lock<std::mutex> lock(mutex_);
  StudyQueue& queue = studies_[study_id];
  const size_t most = context_.options->max_waiting_suggests_per_study;
  if (queue.waiting.size() >= most) {
    lock.unlock();
    call.done(absl::ResourceExhaustedError(absl::StrCat(
        StudyName(study_id), " is busy: ", most, " Suggest calls are waiting already")));
    return;
  }
  queue.waiting.push_back(std::move(call));
  if (std::exchange(queue.running, true)) return;
  lock.unlock();
  const absl::Status accepted = executor_->Run([this, study_id] { RunBatch(study_id); });
  if (accepted.ok()) return;
  for (SuggestCall& refused : TakeBatch(study_id)) refused.done(accepted);
  FinishBatch(study_id, {});
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

void SuggestQueue::RunBatch(const std::string& study_id) {
  LeaseBatchWork::Start(context_, study_id, TakeBatch(study_id),
                        [this, study_id](std::vector<SuggestCall> again) {
                          FinishBatch(study_id, std::move(again));
                        });
}

void SuggestQueue::FinishBatch(const std::string& study_id, std::vector<SuggestCall> again) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    StudyQueue& queue = studies_[study_id];
    queue.waiting.insert(queue.waiting.begin(), std::make_move_iterator(again.begin()),
                         std::make_move_iterator(again.end()));
    if (queue.waiting.empty()) {
      studies_.erase(study_id);
      if (studies_.empty()) idle_.notify_all();
      return;
    }
  }
  executor_->Continue([this, study_id] { RunBatch(study_id); });
}

}  // namespace slipstream
