#include "server/store/report_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/event_rules.h"
#include "server/store/lease_clock.h"
#include "server/store/resource_message.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"

namespace slipstream::rules {
namespace {

absl::Status CheckReports(const TrialReports& reports) {
  for (const StepReport& report : reports.reports) {
    if (report.step < 0) return InvalidField("step", absl::StrCat(report.step), "0 or more");
    if (!std::isfinite(report.value)) return InvalidField("value", "not finite", "a finite number");
  }
  return absl::OkStatus();
}

absl::Status CheckTakesReports(const std::string& study_id, const TrialRecord& trial) {
  if (trial.state == TrialState::kActive || trial.state == TrialState::kStale) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      NameOfTrial(study_id, trial.number), IsOpen(trial.state)
                                               ? " is REQUESTED: no worker has taken it yet"
                                               : " has ended and takes no reports"));
}

// Steps that were reported before take no room.
absl::Status CheckRoomForReports(RowTransaction& rows, int64_t study_key, const TrialRecord& trial,
                                 const TrialReports& reports, int64_t max_reports) {
  const int64_t room = max_reports - trial.report_count;
  if (static_cast<int64_t>(reports.reports.size()) <= room) return absl::OkStatus();
  std::set<int64_t> fresh;
  for (const StepReport& report : reports.reports) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<double> known,
                                rows.FindReport(study_key, trial.number, report.step));
    if (!known.has_value()) fresh.insert(report.step);
  }
  const auto more = static_cast<int64_t>(fresh.size());
  if (more <= room) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(NameOfTrial(reports.study.id, trial.number), " has ",
                   CountOf(trial.report_count, "report"), ", ", more,
                   " more would be above the limit of ", CountOf(max_reports, "report"),
                   " of a trial; report fewer steps, such as every tenth"));
}

void TakeReport(const StepReport& report, TrialRecord& trial) {
  if (report.step < trial.last_step.value_or(report.step)) return;
  trial.last_step = report.step;
  trial.last_value = report.value;
}

absl::Status CountBytes(RowTransaction& rows, int64_t more, StudyHead& head) {
  if (more == 0) return absl::OkStatus();
  head.bytes += more;
  return rows.UpdateCounts(head);
}

}  // namespace

absl::StatusOr<TrialRecord> Report(RowTransaction& rows, const TrialReports& reports,
                                   int64_t max_reports) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckReports(reports));
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, reports.study));
  SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial,
                              RequireTrial(rows, reports.study.id, head.key, reports.number,
                                           reports.create_ms));
  SLIPSTREAM_RETURN_IF_ERROR(CheckTakesReports(reports.study.id, trial));
  SLIPSTREAM_RETURN_IF_ERROR(CheckRoomForReports(rows, head.key, trial, reports, max_reports));
  const int64_t bytes = StoredBytesOf(trial);
  for (const StepReport& report : reports.reports) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool is_new, rows.PutReport(head.key, trial.number, report));
    if (is_new) ++trial.report_count;
    TakeReport(report, trial);
  }
  if (trial.state == TrialState::kActive) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const LeaseMoment moment, PresentMoment(rows));
    RenewLease(head.lease, moment, trial);
  }
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateProgress(head.key, trial));
  SLIPSTREAM_RETURN_IF_ERROR(CountBytes(rows, StoredBytesOf(trial) - bytes, head));
  SLIPSTREAM_RETURN_IF_ERROR(EmitTrialEvent(rows, EventKind::kTrialReported, head.key, trial));
  SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  return trial;
}

absl::StatusOr<TrialRecord> UpdateTrial(RowTransaction& rows, const Annotation& annotation) {
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, annotation.study));
  SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial,
                              RequireTrial(rows, annotation.study.id, head.key, annotation.number,
                                           annotation.create_ms));
  const int64_t bytes = StoredBytesOf(trial);
  trial.labels = annotation.change.labels.value_or(trial.labels);
  trial.note = annotation.change.note.value_or(trial.note);
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateAnnotations(head.key, trial));
  SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  SLIPSTREAM_RETURN_IF_ERROR(CountBytes(rows, StoredBytesOf(trial) - bytes, head));
  SLIPSTREAM_RETURN_IF_ERROR(FillLeaseEnds(rows, absl::MakeSpan(&trial, 1)));
  return trial;
}

absl::StatusOr<std::vector<ReportRecord>> ListReports(RowSnapshot& rows, const StudyRef& study,
                                                      int64_t after_number, int64_t last_number,
                                                      int limit) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study));
  return rows.ListReports(key, std::max<int64_t>(after_number, 0), last_number, std::max(limit, 0));
}

}  // namespace slipstream::rules
