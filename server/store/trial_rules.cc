#include "server/store/trial_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/refusals.h"
#include "core/base/status.h"
#include "server/store/event_rules.h"
#include "server/store/holding_rules.h"
#include "server/store/lease_clock.h"
#include "server/store/quota_rules.h"
#include "server/store/resource_message.h"
#include "server/store/study_rules.h"

namespace slipstream::rules {
namespace {

// INVALID_ARGUMENT if the state is not one that ends a trial, or a success has
// no number.
absl::Status CheckOutcome(const TrialOutcome& outcome) {
  if (!HasEnded(outcome.state)) {
    return InvalidField("outcome.state", absl::StrCat(static_cast<int>(outcome.state)),
                        "one in which a trial has ended");
  }
  const bool measured = outcome.objective.has_value();
  if (outcome.state == TrialState::kSucceeded && !measured) {
    return InvalidField("outcome.objective", "absent", "a number, as the trial succeeded");
  }
  if (measured && std::isnan(*outcome.objective)) {
    return InvalidField("outcome.objective", "nan", "a number");
  }
  return absl::OkStatus();
}

bool SameOutcome(const TrialRecord& trial, const TrialOutcome& outcome) {
  return trial.state == outcome.state && trial.objective == outcome.objective &&
         trial.measurement == outcome.measurement;
}

std::string TextOfOutcome(const TrialRecord& trial) {
  const char* const state = trial.state == TrialState::kSucceeded    ? "SUCCEEDED"
                            : trial.state == TrialState::kFailed     ? "FAILED"
                            : trial.state == TrialState::kInfeasible ? "INFEASIBLE"
                                                                     : "STOPPED";
  return trial.objective.has_value() ? absl::StrCat(state, " with ", *trial.objective) : state;
}

// OK when the trial can take the outcome or has it already.
absl::Status CheckTakesOutcome(const std::string& study_id, const TrialRecord& trial,
                               const TrialOutcome& outcome) {
  if (trial.state == TrialState::kRequested) {
    return absl::FailedPreconditionError(absl::StrCat(NameOfTrial(study_id, trial.number),
                                                      " is REQUESTED: no worker has taken it yet"));
  }
  if (trial.state == TrialState::kWithdrawn) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfTrial(study_id, trial.number), " was withdrawn: ", trial.reason));
  }
  if (HasEnded(trial.state) && !SameOutcome(trial, outcome)) {
    return MarkedError(
        kOtherOutcome,
        absl::StrCat(NameOfTrial(study_id, trial.number), " ended with another outcome, ",
                     TextOfOutcome(trial), ", which is kept; have two processes worked on it?"));
  }
  return absl::OkStatus();
}

void End(const TrialOutcome& outcome, int64_t now_ms, TrialRecord& trial) {
  trial.state = outcome.state;
  trial.objective = outcome.objective;
  trial.measurement = outcome.measurement;
  trial.reason = outcome.reason;
  trial.end_ms = now_ms;
  trial.lease_end.reset();
}

TrialRecord AddedRecord(const NewTrial& added, int64_t number, int64_t now_ms) {
  TrialRecord trial;
  trial.number = number;
  trial.state = TrialState::kRequested;
  trial.configuration = added.configuration;
  trial.candidate = added.candidate;
  trial.create_ms = now_ms;
  if (added.outcome.has_value()) End(*added.outcome, now_ms, trial);
  return trial;
}

}  // namespace

absl::StatusOr<int64_t> RequireStudyKey(RowSnapshot& rows, const StudyRef& study) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> key, rows.FindStudyKey(study.id));
  if (!key.has_value() || *key != study.key.value_or(*key)) return StudyNotFound(study.id);
  if (!study.create_ms.has_value()) return *key;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyRecord> found, rows.FindStudySummary(*key));
  if (!found.has_value()) return StudyNotFound(study.id);
  if (found->create_ms != *study.create_ms) return StudyReplaced(study.id);
  return *key;
}

absl::StatusOr<TrialRecord> RequireTrial(Rows& rows, const std::string& study_id, int64_t study_key,
                                         int64_t number, std::optional<int64_t> create_ms) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<TrialRecord> trial, rows.FindTrial(study_key, number));
  if (!trial.has_value()) return TrialNotFound(study_id, number);
  if (create_ms.value_or(trial->create_ms) != trial->create_ms) {
    return TrialReplaced(study_id, number);
  }
  return *std::move(trial);
}

absl::Status CheckRoomForTrials(const std::string& study_id, const StudyHead& head, size_t more,
                                int64_t max_trials) {
  if (static_cast<int64_t>(more) <= max_trials - head.trial_count) return absl::OkStatus();
  return MarkedError(
      kTrialLimitReached,
      absl::StrCat(NameOfStudy(study_id), " has ", CountOf(head.trial_count, "trial"), ", ", more,
                   " more would be above the limit of ", max_trials, " (--max-trials-per-study)"));
}

// A study that is COMPLETED stays so, and nobody would ever try what is queued there.
absl::Status CheckTakesTrials(const Addition& addition, const StudyHead& head) {
  const bool queues = std::any_of(addition.trials.begin(), addition.trials.end(),
                                  [](const NewTrial& trial) { return !trial.outcome.has_value(); });
  if (head.state != StudyState::kCompleted || !queues) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(NameOfStudy(addition.study.id),
                   " is COMPLETED and queues no configurations; it still takes results"));
}

absl::StatusOr<TrialRecord> ObserveTrial(RowTransaction& rows, const Observe& observe) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckOutcome(observe.outcome));
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, observe.study));
  SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial, RequireTrial(rows, observe.study.id, head.key,
                                                              observe.number, observe.create_ms));
  SLIPSTREAM_RETURN_IF_ERROR(CheckTakesOutcome(observe.study.id, trial, observe.outcome));
  if (HasEnded(trial.state)) return trial;
  const bool late = trial.state == TrialState::kStale;
  const int64_t bytes = head.bytes;
  head.bytes -= StoredBytesOf(trial);
  End(observe.outcome, rows.now_ms(), trial);
  head.bytes += StoredBytesOf(trial);
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateOutcome(head.key, trial));
  SLIPSTREAM_RETURN_IF_ERROR(EmitOutcome(rows, observe.maximize, trial, head));
  if (late) SLIPSTREAM_RETURN_IF_ERROR(WithdrawRepeat(rows, trial, head));
  const bool succeeded = trial.state == TrialState::kSucceeded;
  if (late) ++head.late_count;
  if (succeeded) ++head.succeeded_count;
  if (late || succeeded || head.bytes != bytes) {
    SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateCounts(head));
  }
  SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  return trial;
}

absl::StatusOr<std::vector<TrialRecord>> AddTrials(RowTransaction& rows, const Addition& addition,
                                                   int64_t max_trials, Quotas* quotas) {
  const std::vector<NewTrial>& trials = addition.trials;
  ProjectUsage more = {.trials = static_cast<int64_t>(trials.size())};
  for (const NewTrial& trial : trials) {
    if (trial.outcome.has_value()) SLIPSTREAM_RETURN_IF_ERROR(CheckOutcome(*trial.outcome));
    more.bytes += StoredBytesOf(trial);
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, addition.study));
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckRoomForTrials(addition.study.id, head, trials.size(), max_trials));
  SLIPSTREAM_RETURN_IF_ERROR(CheckTakesTrials(addition, head));
  SLIPSTREAM_RETURN_IF_ERROR(CheckQuota(rows, quotas, addition.study.id, more));
  head.bytes += more.bytes;
  std::vector<TrialRecord> records;
  for (const NewTrial& added : trials) {
    records.push_back(AddedRecord(added, ++head.trial_count, rows.now_ms()));
    const TrialRecord& record = records.back();
    SLIPSTREAM_RETURN_IF_ERROR(rows.InsertTrial(head.key, record, added.provenance));
    SLIPSTREAM_RETURN_IF_ERROR(IsOpen(record.state)
                                   ? EmitTrialEvent(rows, EventKind::kTrialQueued, head.key, record)
                                   : EmitOutcome(rows, addition.maximize, record, head));
    if (record.state == TrialState::kSucceeded) ++head.succeeded_count;
  }
  if (trials.empty()) return records;
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateCounts(head));
  SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  return records;
}

absl::StatusOr<TrialRecord> GetTrial(RowSnapshot& rows, const std::string& study_id,
                                     int64_t number) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study_id));
  SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial, RequireTrial(rows, study_id, key, number));
  SLIPSTREAM_RETURN_IF_ERROR(FillLeaseEnds(rows, absl::MakeSpan(&trial, 1)));
  return trial;
}

absl::StatusOr<ExplainedTrial> GetExplainedTrial(RowSnapshot& rows, const std::string& study_id,
                                                 int64_t number) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study_id));
  ExplainedTrial explained;
  SLIPSTREAM_ASSIGN_OR_RETURN(explained.trial, RequireTrial(rows, study_id, key, number));
  SLIPSTREAM_RETURN_IF_ERROR(FillLeaseEnds(rows, absl::MakeSpan(&explained.trial, 1)));
  // A trial that repeats another one comes from where that one came from.
  if (explained.trial.requeue_of > 0) number = explained.trial.requeue_of;
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<TrialProvenance> found,
                              rows.ListProvenances(key, number - 1, number));
  if (!found.empty()) explained.provenance = std::move(found.front().provenance);
  return explained;
}

absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(RowSnapshot& rows,
                                                             const StudyRef& study,
                                                             int64_t after_number,
                                                             int64_t last_number) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study));
  return rows.ListProvenances(key, std::max<int64_t>(after_number, 0), last_number);
}

absl::StatusOr<std::vector<TrialRecord>> GetTrials(RowSnapshot& rows, const StudyRef& study,
                                                   const std::vector<int64_t>& numbers) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study));
  std::vector<TrialRecord> trials;
  for (const int64_t number : numbers) {
    SLIPSTREAM_ASSIGN_OR_RETURN(trials.emplace_back(), RequireTrial(rows, study.id, key, number));
  }
  SLIPSTREAM_RETURN_IF_ERROR(FillLeaseEnds(rows, absl::MakeSpan(trials)));
  return trials;
}

absl::StatusOr<std::vector<TrialRecord>> ListTrials(RowSnapshot& rows, const StudyRef& study,
                                                    TrialFilter filter) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study));
  filter.after_number = std::max<int64_t>(filter.after_number, 0);
  filter.limit = std::max(filter.limit, 0);
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials, rows.ListTrials(key, filter));
  SLIPSTREAM_RETURN_IF_ERROR(FillLeaseEnds(rows, absl::MakeSpan(trials)));
  return trials;
}

absl::StatusOr<std::vector<TrialRecord>> BestTrials(RowSnapshot& rows, const StudyRef& study,
                                                    bool maximize, int limit) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study));
  return rows.ListBestTrials(key, maximize, std::max(limit, 0));
}

}  // namespace slipstream::rules
