#include "server/store/holding_rules.h"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/event_rules.h"
#include "server/store/lease_clock.h"
#include "server/store/resource_message.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"

namespace slipstream::rules {
namespace {

// The trials that `held` means, each once.
absl::StatusOr<std::vector<TrialRecord>> ReadHeld(RowTransaction& rows, int64_t study_key,
                                                  const HeldTrials& held) {
  std::vector<int64_t> numbers = held.numbers;
  if (numbers.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(numbers, rows.ListActiveTrials(study_key, held.worker));
  }
  std::set<int64_t> seen;
  std::vector<TrialRecord> trials;
  for (const int64_t number : numbers) {
    if (!seen.insert(number).second) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(trials.emplace_back(),
                                RequireTrial(rows, held.study.id, study_key, number));
  }
  return trials;
}

bool IsHeldBy(const TrialRecord& trial, const std::string& worker) {
  return trial.state == TrialState::kActive && (worker.empty() || trial.worker == worker);
}

absl::Status CheckHeld(const HeldTrials& held, const TrialRecord& trial) {
  if (IsHeldBy(trial, held.worker)) return absl::OkStatus();
  const std::string name = NameOfTrial(held.study.id, trial.number);
  if (trial.state != TrialState::kActive) {
    return absl::FailedPreconditionError(absl::StrCat(name, " is not ACTIVE: nobody holds it"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(name, " is held by worker '", trial.worker, "', not by '", held.worker, "'"));
}

// The chain of `trial` from its first trial on. A trial's link leads to a higher
// number, so the walk ends.
absl::StatusOr<std::vector<TrialRecord>> ChainOf(RowTransaction& rows, int64_t study_key,
                                                 const TrialRecord& trial) {
  std::vector<TrialRecord> chain;
  int64_t next = trial.requeue_of > 0 ? trial.requeue_of : trial.number;
  while (next > 0) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<TrialRecord> found, rows.FindTrial(study_key, next));
    if (!found.has_value()) break;
    next = found->requeued_as > found->number ? found->requeued_as : 0;
    chain.push_back(*std::move(found));
  }
  return chain;
}

// The trial whose result makes further trials of the configuration needless; 0: there is none.
absl::StatusOr<int64_t> ResultOfChain(RowTransaction& rows, int64_t study_key,
                                      const TrialRecord& trial) {
  if (trial.requeue_of == 0 && trial.requeued_as == 0) return 0;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> chain,
                              ChainOf(rows, study_key, trial));
  for (const TrialRecord& each : chain) {
    if (GivesResult(each)) return each.number;
  }
  return 0;
}

std::string GaveResult(int64_t number) {
  return absl::StrCat("trial ", number, " gave a result for this configuration");
}

void Withdraw(std::string reason, int64_t now_ms, TrialRecord& trial) {
  trial.state = TrialState::kWithdrawn;
  trial.end_ms = now_ms;
  trial.reason = std::move(reason);
}

absl::Status WriteWithdrawn(RowTransaction& rows, const StudyHead& head, const TrialRecord& trial) {
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateOutcome(head.key, trial));
  return EmitTrialEvent(rows, EventKind::kTrialWithdrawn, head.key, trial);
}

TrialRecord RepeatOf(const TrialRecord& trial, int64_t number, int64_t now_ms) {
  TrialRecord repeat;
  repeat.number = number;
  repeat.state = TrialState::kRequested;
  repeat.configuration = trial.configuration;
  repeat.candidate = trial.candidate;
  repeat.create_ms = now_ms;
  repeat.requeue_of = trial.requeue_of > 0 ? trial.requeue_of : trial.number;
  repeat.requeues = trial.requeues + 1;
  repeat.labels = trial.labels;
  repeat.note = trial.note;
  return repeat;
}

// What becomes of the configuration of a trial whose lease ran out.
enum class Repetition {
  kNeedless,  // Nobody would try it again, or it has been tried often enough.
  kQueued,
  kDropped,  // The study has as many trials as it may.
};

absl::StatusOr<Repetition> RepetitionOf(RowTransaction& rows, const StudyHead& head,
                                        const TrialRecord& trial, int64_t max_trials) {
  if (head.state == StudyState::kCompleted) return Repetition::kNeedless;
  if (trial.requeues >= head.lease.max_requeues) return Repetition::kNeedless;
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t result, ResultOfChain(rows, head.key, trial));
  if (result > 0) return Repetition::kNeedless;
  return head.trial_count < max_trials ? Repetition::kQueued : Repetition::kDropped;
}

absl::Status QueueAgain(RowTransaction& rows, StudyHead& head, TrialRecord& trial) {
  const TrialRecord repeat = RepeatOf(trial, ++head.trial_count, rows.now_ms());
  trial.requeued_as = repeat.number;
  head.bytes += StoredBytesOf(repeat);
  SLIPSTREAM_RETURN_IF_ERROR(rows.InsertTrial(head.key, repeat, {}));
  SLIPSTREAM_RETURN_IF_ERROR(EmitTrialEvent(rows, EventKind::kTrialQueued, head.key, repeat));
  return rows.UpdateCounts(head);
}

// Writes on a trial why its configuration is not queued again.
absl::Status NoteDropped(RowTransaction& rows, StudyHead& head, TrialRecord& trial,
                         int64_t max_trials) {
  head.bytes -= StoredBytesOf(trial);
  // A limit that was lowered since is less than the number of trials.
  trial.reason = absl::StrCat("lease ran out; not queued again, as its study has ",
                              CountOf(head.trial_count, "trial"), " and the limit is ", max_trials,
                              " (--max-trials-per-study)");
  head.bytes += StoredBytesOf(trial);
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateOutcome(head.key, trial));
  return rows.UpdateCounts(head);
}

// Makes the trial STALE.
absl::StatusOr<Repetition> EndLease(RowTransaction& rows, StudyHead& head, TrialRecord& trial,
                                    int64_t max_trials) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const Repetition repetition,
                              RepetitionOf(rows, head, trial, max_trials));
  trial.state = TrialState::kStale;
  trial.end_ms = rows.now_ms();
  trial.lease_end.reset();
  SLIPSTREAM_RETURN_IF_ERROR(EmitTrialEvent(rows, EventKind::kTrialStale, head.key, trial));
  if (repetition == Repetition::kQueued) {
    SLIPSTREAM_RETURN_IF_ERROR(QueueAgain(rows, head, trial));
  } else if (repetition == Repetition::kDropped) {
    SLIPSTREAM_RETURN_IF_ERROR(NoteDropped(rows, head, trial, max_trials));
  }
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateLease(head.key, trial));
  return repetition;
}

// Counts a trial, and names it if it is one of the first.
void CountAndName(const std::string& trial, int64_t* count, std::vector<std::string>* names) {
  ++*count;
  if (names->size() < LeaseSweep::kNamedTrials) names->push_back(trial);
}

// The counts of `head` are left to be written.
absl::Status GiveBack(RowTransaction& rows, StudyHead& head, TrialRecord& trial) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t result, ResultOfChain(rows, head.key, trial));
  const bool has_reports = trial.report_count > 0;
  head.bytes -= StoredBytesOf(trial);
  TakeBack(head.state, result, rows.now_ms(), trial);
  head.bytes += StoredBytesOf(trial);
  if (trial.state == TrialState::kWithdrawn) return WriteWithdrawn(rows, head, trial);
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateLease(head.key, trial));
  if (has_reports) {
    SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateProgress(head.key, trial));
    SLIPSTREAM_RETURN_IF_ERROR(rows.DeleteReports(head.key, trial.number));
  }
  return EmitTrialEvent(rows, EventKind::kTrialReleased, head.key, trial);
}

}  // namespace

bool GivesResult(const TrialRecord& trial) {
  return HasEnded(trial.state) && trial.state != TrialState::kFailed;
}

void TakeBack(StudyState study, int64_t result, int64_t now_ms, TrialRecord& trial) {
  trial.lease_end.reset();
  if (result > 0 || study == StudyState::kCompleted) {
    return Withdraw(
        result > 0 ? GaveResult(result) : "it was given back after its study was COMPLETED", now_ms,
        trial);
  }
  trial.state = TrialState::kRequested;
  trial.worker.clear();
  trial.process = {};
  trial.start_ms.reset();
  trial.report_count = 0;
  trial.last_step.reset();
  trial.last_value.reset();
}

absl::StatusOr<Heartbeats> Heartbeat(RowTransaction& rows, const HeldTrials& held) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead head, RequireStudy(rows, held.study));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials, ReadHeld(rows, head.key, held));
  SLIPSTREAM_ASSIGN_OR_RETURN(const LeaseMoment moment, PresentMoment(rows));
  bool is_alive = false;
  for (TrialRecord& trial : trials) {
    if (!IsHeldBy(trial, held.worker)) continue;
    RenewLease(head.lease, moment, trial);
    SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateProgress(head.key, trial));
    is_alive = true;
  }
  if (is_alive) SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  return Heartbeats{std::move(trials), head.lease.duration_ms, head.create_ms};
}

absl::StatusOr<std::vector<TrialRecord>> ReleaseTrials(RowTransaction& rows,
                                                       const HeldTrials& held) {
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, held.study));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials, ReadHeld(rows, head.key, held));
  for (const TrialRecord& trial : trials) SLIPSTREAM_RETURN_IF_ERROR(CheckHeld(held, trial));
  const int64_t bytes = head.bytes;
  for (TrialRecord& trial : trials) {
    SLIPSTREAM_RETURN_IF_ERROR(GiveBack(rows, head, trial));
  }
  if (head.bytes != bytes) SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateCounts(head));
  if (!trials.empty()) SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  return trials;
}

absl::StatusOr<LeaseSweep> SweepLeases(RowTransaction& rows, int most, int64_t max_trials) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const LeaseMoment moment, PresentMoment(rows));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialKey> ended,
                              rows.ListEndedLeases(moment.lease_ms, most));
  LeaseSweep sweep;
  sweep.uncounted_ms = moment.uncounted_ms;
  for (const TrialKey& key : ended) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyHead> head, rows.FindStudyHead(key.study_key));
    SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<TrialRecord> trial,
                                rows.FindTrial(key.study_key, key.number));
    if (!head.has_value() || !trial.has_value()) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const Repetition repetition,
                                EndLease(rows, *head, *trial, max_trials));
    const std::string name = NameOfTrial(head->id, key.number);
    CountAndName(name, &sweep.stale, &sweep.trials);
    if (repetition == Repetition::kQueued) {
      ++sweep.queued_again;
    } else if (repetition == Repetition::kDropped) {
      CountAndName(name, &sweep.dropped, &sweep.dropped_trials);
    }
  }
  sweep.more = ended.size() == static_cast<size_t>(most);
  return sweep;
}

absl::StatusOr<bool> LeasesNeedSweep(RowSnapshot& rows, int64_t now_ms) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<LeaseClock> clock, rows.FindLeaseClock());
  if (!clock.has_value()) return false;
  // A row that is due is written if there is any lease that needs the clock.
  const int64_t until = IsDue(*clock, now_ms) ? std::numeric_limits<int64_t>::max()
                                              : MomentOf(*clock, now_ms).lease_ms;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialKey> found, rows.ListEndedLeases(until, 1));
  return !found.empty();
}

absl::Status WithdrawRepeat(RowTransaction& rows, const TrialRecord& trial, StudyHead& head) {
  if (!GivesResult(trial) || trial.requeued_as == 0) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<TrialRecord> chain, ChainOf(rows, head.key, trial));
  if (chain.empty() || chain.back().state != TrialState::kRequested) return absl::OkStatus();
  TrialRecord& repeat = chain.back();
  head.bytes -= StoredBytesOf(repeat);
  Withdraw(GaveResult(trial.number), rows.now_ms(), repeat);
  head.bytes += StoredBytesOf(repeat);
  return WriteWithdrawn(rows, head, repeat);
}

}  // namespace slipstream::rules
