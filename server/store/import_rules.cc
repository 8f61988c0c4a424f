#include "server/store/import_rules.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/holding_rules.h"
#include "server/store/quota_rules.h"
#include "server/store/resource_message.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"

namespace slipstream::rules {
namespace {

absl::Status CheckOutcome(const TrialRecord& trial) {
  if (trial.state != TrialState::kSucceeded || trial.objective.has_value()) return absl::OkStatus();
  return InvalidField("objective", "absent", "a number, as the trial succeeded");
}

absl::Status CheckReports(const std::string& study_id, const ImportedTrial& trial,
                          const ImportLimits& limits) {
  if (static_cast<int64_t>(trial.reports.size()) > limits.max_reports) {
    return absl::ResourceExhaustedError(
        absl::StrCat(NameOfTrial(study_id, trial.record.number), " has ", trial.reports.size(),
                     " reports, which is above the limit of ", limits.max_reports,
                     " reports of a trial"));
  }
  for (size_t i = 1; i < trial.reports.size(); ++i) {
    if (trial.reports[i - 1].step < trial.reports[i].step) continue;
    return InvalidField("step", absl::StrCat(trial.reports[i].step),
                        absl::StrCat("above ", trial.reports[i - 1].step, ", the one before it"));
  }
  return absl::OkStatus();
}

absl::Status CheckTrials(const ImportedStudy& imported, const ImportLimits& limits) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckRoomForTrials(imported.study.id, StudyHead(),
                                                imported.trials.size(), limits.max_trials));
  int64_t number = 0;
  for (const ImportedTrial& trial : imported.trials) {
    if (trial.record.number != ++number) {
      return InvalidField("number", absl::StrCat(trial.record.number), absl::StrCat(number));
    }
    SLIPSTREAM_RETURN_IF_ERROR(CheckOutcome(trial.record));
    SLIPSTREAM_RETURN_IF_ERROR(CheckReports(imported.study.id, trial, limits));
  }
  return absl::OkStatus();
}

ProjectUsage ShareOf(const ImportedStudy& imported) {
  ProjectUsage share = {.studies = 1, .bytes = StoredBytesOf(imported.study)};
  share.trials = static_cast<int64_t>(imported.trials.size());
  for (const ImportedTrial& trial : imported.trials) share.bytes += StoredBytesOf(trial);
  return share;
}

// Deletes the study that has the id, if there is one and the new one can take its place, whose
// share is `share`. Whether there was one.
absl::StatusOr<bool> MakeRoom(RowTransaction& rows, const NewStudy& study, ProjectUsage share,
                              Quotas* quotas) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> head, rows.FindStudyHead(study.id));
  if (!head.has_value()) return false;
  SLIPSTREAM_RETURN_IF_ERROR(FindSourceKeys(rows, study.source_ids).status());
  share -= {.studies = 1, .trials = head->trial_count, .bytes = head->bytes};
  SLIPSTREAM_RETURN_IF_ERROR(CheckQuota(rows, quotas, study.id, share));
  SLIPSTREAM_RETURN_IF_ERROR(DeleteStudy(rows, study.id).status());
  return true;
}

absl::Status InsertReports(RowTransaction& rows, int64_t study_key, TrialRecord trial,
                           const std::vector<StepReport>& reports) {
  if (reports.empty()) return absl::OkStatus();
  for (const StepReport& report : reports) {
    SLIPSTREAM_RETURN_IF_ERROR(rows.PutReport(study_key, trial.number, report).status());
  }
  trial.report_count = static_cast<int64_t>(reports.size());
  trial.last_step = reports.back().step;
  trial.last_value = reports.back().value;
  return rows.UpdateProgress(study_key, trial);
}

void Count(const TrialRecord& trial, bool maximize, StudyHead& head) {
  ++head.trial_count;
  if (trial.suggested) ++head.suggested_count;
  if (trial.state != TrialState::kSucceeded) return;
  ++head.succeeded_count;
  const double value = *trial.objective;
  const bool improves =
      !head.best.has_value() || (maximize ? value > *head.best : value < *head.best);
  if (improves) head.best = value;
}

absl::Status InsertTrials(RowTransaction& rows, const ImportedStudy& imported, StudyHead& head) {
  for (const ImportedTrial& trial : imported.trials) {
    const TrialRecord& record = trial.record;
    SLIPSTREAM_RETURN_IF_ERROR(rows.InsertTrial(head.key, record, trial.provenance));
    SLIPSTREAM_RETURN_IF_ERROR(InsertReports(rows, head.key, record, trial.reports));
    if (record.requeued_as > 0) SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateLease(head.key, record));
    Count(record, imported.maximize, head);
    head.bytes += StoredBytesOf(trial);
  }
  return rows.UpdateCounts(head);
}

// Nobody holds trials of the new study.
absl::Status GiveActiveTrialsBack(RowTransaction& rows, const ImportedStudy& imported) {
  HeldTrials held;
  held.study = imported.study.id;
  for (const ImportedTrial& trial : imported.trials) {
    if (trial.record.state == TrialState::kActive) held.numbers.push_back(trial.record.number);
  }
  return held.numbers.empty() ? absl::OkStatus() : ReleaseTrials(rows, held).status();
}

}  // namespace

absl::StatusOr<StudyRecord> ImportStudy(RowTransaction& rows, const ImportedStudy& imported,
                                        const ImportLimits& limits, Quotas* quotas) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckTrials(imported, limits));
  const std::string& id = imported.study.id;
  const ProjectUsage share = ShareOf(imported);
  if (imported.replace_existing) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool replaces, MakeRoom(rows, imported.study, share, quotas));
    if (replaces) quotas = nullptr;  // They have been asked.
  }
  // A study that was completed long ago elsewhere must not expire at once: its import is its latest
  // change.
  const bool is_completed = imported.state == StudyState::kCompleted;
  const StudyBeginning beginning = {imported.state, imported.create_ms,
                                    is_completed ? rows.now_ms() : imported.update_ms};
  SLIPSTREAM_RETURN_IF_ERROR(
      StoreNewStudy(rows, imported.study, beginning, share, quotas).status());
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, id));
  SLIPSTREAM_RETURN_IF_ERROR(InsertTrials(rows, imported, head));
  SLIPSTREAM_RETURN_IF_ERROR(GiveActiveTrialsBack(rows, imported));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> record, rows.FindStudy(id));
  if (!record.has_value()) return StudyNotFound(id);
  return *std::move(record);
}

}  // namespace slipstream::rules
