#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/resource_message.h"
#include "server/store/sqlite/trial_rows.h"
#include "server/store/sqlite/write_verbs.h"

namespace slipstream::sqlite {
namespace {

bool SameOutcome(const TrialRecord& trial, const TrialOutcome& outcome) {
  return trial.state == outcome.state && trial.objective == outcome.objective &&
         trial.measurement == outcome.measurement;
}

// OK when the trial can take the outcome or has it already.
absl::Status CheckTakesOutcome(const std::string& study_id, const TrialRecord& trial,
                               const TrialOutcome& outcome) {
  if (trial.state == TrialState::kRequested) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameOfTrial(study_id, trial.number), " is REQUESTED: no worker has taken it yet"));
  }
  if (HasEnded(trial.state) && !SameOutcome(trial, outcome)) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfTrial(study_id, trial.number), " ended with another outcome"));
  }
  return absl::OkStatus();
}

void End(const TrialOutcome& outcome, int64_t now_ms, TrialRecord& trial) {
  trial.state = outcome.state;
  trial.objective = outcome.objective;
  trial.measurement = outcome.measurement;
  trial.reason = outcome.reason;
  trial.end_ms = now_ms;
}

TrialRecord RecordOf(const NewTrial& added, int64_t number, int64_t now_ms) {
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

absl::Status CheckRoomForTrials(const WriteSession& session, const StudyHead& head, size_t more) {
  const int64_t room = session.max_trials_per_study - head.trial_count;
  if (static_cast<int64_t>(more) <= room) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(NameOfStudy(head.id), " has ", head.trial_count, " trials, ", more,
                   " more would be above the limit of ", session.max_trials_per_study));
}

absl::StatusOr<TrialRecord> ObserveTrial(WriteSession& session, const Observe& observe) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckOutcome(observe.outcome));
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead* head, session.heads.Find(observe.study_id));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<TrialRecord> trial,
                              ReadTrial(session.connection, head->key, observe.number));
  if (!trial.has_value()) return TrialNotFound(observe.study_id, observe.number);
  SLIPSTREAM_RETURN_IF_ERROR(CheckTakesOutcome(observe.study_id, *trial, observe.outcome));
  if (HasEnded(trial->state)) return *std::move(trial);
  End(observe.outcome, session.now_ms, *trial);
  SLIPSTREAM_RETURN_IF_ERROR(UpdateOutcome(session.connection, head->key, *trial));
  if (trial->state == TrialState::kSucceeded) ++session.heads.Change(*head).succeeded_count;
  return *std::move(trial);
}

absl::StatusOr<std::vector<TrialRecord>> AddTrials(WriteSession& session,
                                                   const std::string& study_id,
                                                   const std::vector<NewTrial>& trials) {
  for (const NewTrial& trial : trials) {
    if (trial.outcome.has_value()) SLIPSTREAM_RETURN_IF_ERROR(CheckOutcome(*trial.outcome));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead* found, session.heads.Find(study_id));
  SLIPSTREAM_RETURN_IF_ERROR(CheckRoomForTrials(session, *found, trials.size()));
  std::vector<TrialRecord> records;
  if (trials.empty()) return records;
  StudyHead& head = session.heads.Change(*found);
  for (const NewTrial& added : trials) {
    records.push_back(RecordOf(added, ++head.trial_count, session.now_ms));
    if (records.back().state == TrialState::kSucceeded) ++head.succeeded_count;
    SLIPSTREAM_RETURN_IF_ERROR(
        InsertTrial(session.connection, head.key, records.back(), added.provenance));
  }
  return records;
}

}  // namespace slipstream::sqlite
