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

// So much is stored in a few hundredths of a second.
constexpr size_t kTrialsAtOnce = 2000;
constexpr size_t kReportsAtOnce = 20'000;
constexpr int64_t kBytesAtOnce = 8 << 20;

absl::Status CheckOutcome(const TrialRecord& trial) {
  if (trial.state != TrialState::kSucceeded || trial.objective.has_value()) return absl::OkStatus();
  return InvalidField("objective", "absent", "a number, as the trial succeeded");
}

absl::Status CheckReports(const std::string& study_id, const ImportedTrial& trial,
                          const ImportLimits& limits) {
  if (static_cast<int64_t>(trial.reports.size()) > limits.max_reports) {
    return absl::ResourceExhaustedError(
        absl::StrCat(NameOfTrial(study_id, trial.record.number), " has ", trial.reports.size(),
                     " reports, which is above the limit of ",
                     CountOf(limits.max_reports, "report"), " of a trial"));
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

// The trial whose result makes another trial of this configuration needless; 0: there is none.
int64_t ResultOfChain(const std::vector<ImportedTrial>& trials, const TrialRecord& trial) {
  const auto count = static_cast<int64_t>(trials.size());
  int64_t next = trial.requeue_of > 0 ? trial.requeue_of : trial.number;
  while (next > 0 && next <= count) {
    const TrialRecord& each = trials[static_cast<size_t>(next) - 1].record;
    if (GivesResult(each)) return next;
    next = each.requeued_as > next ? each.requeued_as : 0;
  }
  return 0;
}

// Nobody holds trials of the new study.
ImportedStudy WithTrialsGivenBack(ImportedStudy imported, int64_t now_ms) {
  for (ImportedTrial& trial : imported.trials) {
    if (trial.record.state != TrialState::kActive) continue;
    TakeBack(imported.state, ResultOfChain(imported.trials, trial.record), now_ms, trial.record);
    if (trial.record.state == TrialState::kRequested) trial.reports.clear();
  }
  return imported;
}

ProjectUsage ShareOf(const ImportedStudy& imported) {
  ProjectUsage share = {.studies = 1, .bytes = StoredBytesOf(imported.study)};
  share.trials = static_cast<int64_t>(imported.trials.size());
  for (const ImportedTrial& trial : imported.trials) share.bytes += StoredBytesOf(trial);
  return share;
}

// Whether a study is replaced. Refuses the import if its id, a source task or a quota does.
absl::StatusOr<bool> CheckPlace(RowTransaction& rows, const CheckedImport& import,
                                Quotas* quotas) {
  SLIPSTREAM_RETURN_IF_ERROR(import.trials);
  const NewStudy& study = import.study.study;
  if (!import.study.replace_existing) SLIPSTREAM_RETURN_IF_ERROR(CheckIdIsFree(rows, study.id));
  SLIPSTREAM_RETURN_IF_ERROR(FindSourceKeys(rows, study.source_ids).status());
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> head, rows.FindStudyHead(study.id));
  ProjectUsage more = import.share;
  if (head.has_value()) {
    more -= {.studies = 1, .trials = head->trial_count, .bytes = head->bytes};
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckQuota(rows, quotas, study.id, more));
  return head.has_value();
}

// The place after the trials from `begin` on that one transaction takes, at least one.
size_t EndOfPart(const std::vector<ImportedTrial>& trials, size_t begin) {
  size_t reports = 0;
  int64_t bytes = 0;
  size_t end = begin;
  while (end < trials.size() && end - begin < kTrialsAtOnce && reports < kReportsAtOnce &&
         bytes < kBytesAtOnce) {
    reports += trials[end].reports.size();
    bytes += StoredBytesOf(trials[end++]);
  }
  return end;
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

absl::Status InsertTrials(RowTransaction& rows, const ImportedStudy& imported, size_t end,
                          ImportPart& part) {
  for (; part.trials < end; ++part.trials) {
    const ImportedTrial& trial = imported.trials[part.trials];
    const TrialRecord& record = trial.record;
    SLIPSTREAM_RETURN_IF_ERROR(rows.InsertTrial(part.study_key, record, trial.provenance));
    SLIPSTREAM_RETURN_IF_ERROR(InsertReports(rows, part.study_key, record, trial.reports));
    if (record.requeued_as > 0) {
      SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateLease(part.study_key, record));
    }
    Count(record, imported.maximize, part.counts);
    part.counts.bytes += StoredBytesOf(trial);
  }
  return absl::OkStatus();
}

}  // namespace

CheckedImport::CheckedImport(ImportedStudy imported, const ImportLimits& limits, int64_t now_ms)
    : study(WithTrialsGivenBack(std::move(imported), now_ms)),
      trials(CheckTrials(study, limits)),
      share(ShareOf(study)) {}

bool HasMore(const CheckedImport& import, const ImportPart& part) {
  return EndOfPart(import.study.trials, part.trials) < import.study.trials.size();
}

absl::StatusOr<ImportPart> BeginImport(RowTransaction& rows, const CheckedImport& import,
                                       Quotas* quotas) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckPlace(rows, import, quotas).status());
  ImportPart part;
  SLIPSTREAM_ASSIGN_OR_RETURN(part.study_key, rows.BeginStudy(import.share.trials));
  return part;
}

absl::StatusOr<ImportPart> ContinueImport(RowTransaction& rows, const CheckedImport& import,
                                          ImportPart part) {
  const size_t end = EndOfPart(import.study.trials, part.trials);
  SLIPSTREAM_RETURN_IF_ERROR(InsertTrials(rows, import.study, end, part));
  return part;
}

absl::StatusOr<StudyRecord> FinishImport(RowTransaction& rows, const CheckedImport& import,
                                         ImportPart part, Quotas* quotas) {
  const ImportedStudy& imported = import.study;
  const std::string& id = imported.study.id;
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool replaces, CheckPlace(rows, import, quotas));
  if (replaces) SLIPSTREAM_RETURN_IF_ERROR(DeleteStudy(rows, id).status());
  // A study that was completed long ago elsewhere must not expire at once: its import is its latest
  // change.
  const bool is_completed = imported.state == StudyState::kCompleted;
  const StudyBeginning beginning = {imported.state, imported.create_ms,
                                    is_completed ? rows.now_ms() : imported.update_ms,
                                    part.study_key};
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const StudyRecord stored,
      StoreNewStudy(rows, imported.study, beginning, import.share, /*quotas=*/nullptr));
  part.study_key = stored.key;
  SLIPSTREAM_RETURN_IF_ERROR(InsertTrials(rows, imported, imported.trials.size(), part));
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyHead head, RequireStudy(rows, id));
  head.trial_count = part.counts.trial_count;
  head.suggested_count = part.counts.suggested_count;
  head.succeeded_count = part.counts.succeeded_count;
  head.best = part.counts.best;
  head.bytes += part.counts.bytes;
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateCounts(head));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> record, rows.FindStudy(id));
  if (!record.has_value()) return StudyNotFound(id);
  return *std::move(record);
}

}  // namespace slipstream::rules
