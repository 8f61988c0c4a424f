#include "server/convert/export_conversion.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/study_limits.h"
#include "server/convert/text_limits.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

absl::Status Required(absl::string_view field, bool is_there) {
  return is_there ? absl::OkStatus() : InvalidField(field, "absent", "present");
}

absl::Status Unexpected(absl::string_view field, absl::string_view state) {
  return InvalidField(field, "present", absl::StrCat("absent in a trial that is ", state));
}

// The outcome that a worker would have observed; absent for states without one.
std::optional<v1::Outcome> OutcomeOf(const v1::Trial& trial) {
  v1::Outcome outcome;
  switch (trial.state()) {
    case v1::Trial::SUCCEEDED:
      *outcome.mutable_measurement() = trial.measurement();
      return outcome;
    case v1::Trial::FAILED:
      outcome.mutable_failure()->set_reason(trial.reason());
      return outcome;
    case v1::Trial::INFEASIBLE:
      outcome.mutable_infeasibility()->set_reason(trial.reason());
      return outcome;
    case v1::Trial::STOPPED:
      outcome.mutable_early_stop()->set_reason(trial.reason());
      if (trial.has_measurement()) {
        *outcome.mutable_early_stop()->mutable_measurement() = trial.measurement();
      }
      return outcome;
    default:
      return std::nullopt;
  }
}

absl::Status TakeOutcome(absl::string_view metric, const v1::Trial& trial, TrialRecord* record) {
  const bool may_be_measured =
      record->state == TrialState::kSucceeded || record->state == TrialState::kStopped;
  const std::string& state = v1::Trial::State_Name(trial.state());
  if (trial.has_measurement() && !may_be_measured) return Unexpected("measurement", state);
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("reason", trial.reason(), kMaxReasonBytes));
  record->reason = trial.reason();
  const std::optional<v1::Outcome> outcome = OutcomeOf(trial);
  if (!outcome.has_value()) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(TrialOutcome checked, OutcomeFromProto(metric, *outcome));
  record->objective = checked.objective;
  record->measurement = std::move(checked.measurement);
  return absl::OkStatus();
}

absl::Status TakeTimes(const v1::Trial& trial, TrialRecord* record) {
  SLIPSTREAM_RETURN_IF_ERROR(Required("create_time", trial.has_create_time()));
  SLIPSTREAM_ASSIGN_OR_RETURN(record->create_ms, MsFromProto("create_time", trial.create_time()));
  if (trial.has_start_time()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(record->start_ms, MsFromProto("start_time", trial.start_time()));
  }
  const bool is_over = HasEnded(record->state) || record->state == TrialState::kWithdrawn;
  // Exports of earlier versions do not tell when a trial became STALE.
  const bool may_tell = record->state == TrialState::kStale && trial.has_end_time();
  if (!is_over && !may_tell) {
    return trial.has_end_time() ? Unexpected("end_time", v1::Trial::State_Name(trial.state()))
                                : absl::OkStatus();
  }
  SLIPSTREAM_RETURN_IF_ERROR(Required("end_time", trial.has_end_time()));
  SLIPSTREAM_ASSIGN_OR_RETURN(record->end_ms, MsFromProto("end_time", trial.end_time()));
  return absl::OkStatus();
}

absl::Status TakeWorker(const v1::Trial& trial, TrialRecord* record) {
  const bool is_out = record->state == TrialState::kActive || record->state == TrialState::kStale;
  if (is_out || !trial.worker().empty()) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckName("worker", trial.worker()));
  }
  if (record->state == TrialState::kRequested && !trial.worker().empty()) {
    return Unexpected("worker", "REQUESTED");
  }
  record->worker = trial.worker();
  absl::StatusOr<WorkerProcess> process = WorkerProcessFromProto(trial.worker_process());
  if (!process.ok()) return WithFieldPrefix(process.status(), "worker_");
  record->process = *std::move(process);
  return absl::OkStatus();
}

absl::Status TakeConfiguration(const SearchSpace& space, const v1::Trial& trial,
                               TrialRecord* record) {
  v1::Observation observation;
  *observation.mutable_configuration() = trial.configuration();
  SLIPSTREAM_ASSIGN_OR_RETURN(NewTrial checked, AddedTrial(space, /*metric=*/"", observation));
  const std::optional<int64_t> candidate =
      trial.has_candidate() ? std::optional<int64_t>(trial.candidate()) : std::nullopt;
  if (candidate.has_value() && candidate != checked.candidate) {
    return InvalidField("candidate", absl::StrCat(*candidate),
                        checked.candidate.has_value() ? absl::StrCat(*checked.candidate)
                                                      : "absent, as the study has no candidates");
  }
  record->configuration = std::move(checked.configuration);
  record->candidate = checked.candidate;
  return absl::OkStatus();
}

absl::Status TakeTrial(const SearchSpace& space, absl::string_view metric, const v1::Trial& trial,
                       TrialRecord* record) {
  SLIPSTREAM_ASSIGN_OR_RETURN(record->state, TrialStateFromProto("state", trial.state()));
  SLIPSTREAM_RETURN_IF_ERROR(TakeConfiguration(space, trial, record));
  SLIPSTREAM_RETURN_IF_ERROR(TakeOutcome(metric, trial, record));
  SLIPSTREAM_RETURN_IF_ERROR(TakeTimes(trial, record));
  SLIPSTREAM_RETURN_IF_ERROR(TakeWorker(trial, record));
  SLIPSTREAM_RETURN_IF_ERROR(CheckLabels("labels", trial.labels()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("note", trial.note(), kMaxNoteBytes));
  record->labels = LabelBytes(trial);
  record->note = trial.note();
  return absl::OkStatus();
}

// Links lead forward, so that following them ends.
absl::Status TakeLinks(const v1::ExportedTrial& trial, TrialRecord* record) {
  if (trial.requeue_of() < 0 || trial.requeue_of() >= trial.number()) {
    return InvalidField("requeue_of", absl::StrCat(trial.requeue_of()),
                        absl::StrCat("0, or a number below ", trial.number()));
  }
  if (trial.requeued_as() != 0 && trial.requeued_as() <= trial.number()) {
    return InvalidField("requeued_as", absl::StrCat(trial.requeued_as()),
                        absl::StrCat("0, or a number above ", trial.number()));
  }
  const bool is_bounded = trial.requeues() >= 0 && trial.requeues() <= kMostRequeues;
  if (!is_bounded || (trial.requeues() > 0) != (trial.requeue_of() > 0)) {
    return InvalidField("requeues", absl::StrCat(trial.requeues()),
                        trial.requeue_of() > 0
                            ? absl::StrCat("1 to ", kMostRequeues,
                                           " in a trial that was queued again")
                            : "0");
  }
  record->requeue_of = trial.requeue_of();
  record->requeued_as = trial.requeued_as();
  record->requeues = trial.requeues();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StepReport>> ReportsOf(absl::string_view metric,
                                                  const v1::ExportedTrial& trial) {
  std::vector<StepReport> reports;
  if (trial.reports_size() > 0 && trial.trial().state() == v1::Trial::REQUESTED) {
    return Unexpected("reports", "REQUESTED");
  }
  for (int i = 0; i < trial.reports_size(); ++i) {
    const v1::StepMeasurement& report = trial.reports(i);
    const int64_t last = reports.empty() ? -1 : reports.back().step;
    if (report.step() <= last) {
      return InvalidField(absl::StrCat("reports[", i, "].step"), absl::StrCat(report.step()),
                          last < 0 ? "0 or more" : absl::StrCat("above ", last));
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const double value,
        MetricValue(absl::StrCat("reports[", i, "].measurement"), metric, report.measurement()));
    reports.push_back({report.step(), value});
  }
  return reports;
}

}  // namespace

v1::ExportLine ExportHeader() {
  v1::ExportLine line;
  line.mutable_header()->set_format(kExportFormat);
  line.mutable_header()->set_format_version(kExportFormatVersion);
  return line;
}

absl::Status CheckExportHeader(const v1::ExportLine::Header& header) {
  if (header.format() != kExportFormat) {
    return InvalidField("format", header.format(), kExportFormat);
  }
  if (header.format_version() < 1 || header.format_version() > kExportFormatVersion) {
    return InvalidField(
        "format_version", absl::StrCat(header.format_version()),
        absl::StrCat("1 to ", kExportFormatVersion, "; import newer exports with a newer server"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::ExportLine> ExportedStudyLine(const StudyRecord& record,
                                                 const std::string& candidates) {
  v1::ExportLine line;
  SLIPSTREAM_ASSIGN_OR_RETURN(*line.mutable_study(), StudyToProto(record, candidates));
  line.mutable_study()->clear_trial_count();
  line.mutable_study()->clear_succeeded_trial_count();
  line.mutable_study()->clear_best_value();
  line.mutable_study()->clear_last_trial_time();
  return line;
}

absl::StatusOr<v1::ExportLine> ExportedTrialLine(absl::string_view study_id,
                                                 absl::string_view metric,
                                                 const ImportedTrial& trial, int64_t trial_count) {
  const TrialRecord& record = trial.record;
  v1::ExportLine line;
  v1::ExportedTrial* const exported = line.mutable_trial();
  v1::Trial* const plain = exported->mutable_trial();
  SLIPSTREAM_RETURN_IF_ERROR(TrialToProto(study_id, record, plain));
  plain->clear_name();
  plain->clear_lease_end_time();
  plain->clear_requeue_of();
  plain->clear_requeued_as();
  plain->clear_report_count();
  plain->clear_last_step();
  plain->clear_last_value();
  exported->set_number(record.number);
  exported->set_suggested(record.suggested);
  exported->set_requeue_of(record.requeue_of);
  exported->set_requeued_as(record.requeued_as > trial_count ? 0 : record.requeued_as);
  exported->set_requeues(record.requeues);
  for (const StepReport& report : trial.reports) {
    v1::StepMeasurement* const step = exported->add_reports();
    step->set_step(report.step);
    (*step->mutable_measurement()->mutable_metrics())[std::string(metric)] = report.value;
  }
  if (!trial.provenance.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(*exported->mutable_provenance(),
                                StoredProvenance(record.number, trial.provenance));
  }
  return line;
}

v1::ExportLine ExportEnd(int64_t trial_count) {
  v1::ExportLine line;
  line.mutable_end()->set_trial_count(trial_count);
  return line;
}

absl::StatusOr<ImportedHead> ImportedHeadFromProto(const v1::Study& study) {
  if (study.state() < v1::Study::ACTIVE || study.state() > v1::Study::COMPLETED) {
    return InvalidField("state", absl::StrCat(static_cast<int>(study.state())),
                        "ACTIVE, PAUSED or COMPLETED");
  }
  SLIPSTREAM_RETURN_IF_ERROR(Required("seed", study.has_seed()));
  SLIPSTREAM_RETURN_IF_ERROR(Required("create_time", study.has_create_time()));
  SLIPSTREAM_RETURN_IF_ERROR(Required("update_time", study.has_update_time()));
  if (study.algorithm().preset().empty()) {
    return InvalidField("algorithm.preset", "empty", "the name of a preset");
  }
  ImportedHead head;
  v1::Study created = study;
  created.clear_state();
  SLIPSTREAM_ASSIGN_OR_RETURN(head.definition, StudyDefinitionFromProto(created));
  head.study.study = NewStudyOf(created, head.definition, /*study_id=*/"");
  head.study.state = static_cast<StudyState>(study.state());
  head.study.maximize = head.definition.goal == Goal::kMaximize;
  SLIPSTREAM_ASSIGN_OR_RETURN(head.study.create_ms,
                              MsFromProto("create_time", study.create_time()));
  SLIPSTREAM_ASSIGN_OR_RETURN(head.study.update_ms,
                              MsFromProto("update_time", study.update_time()));
  return head;
}

absl::StatusOr<ImportedTrial> ImportedTrialFromProto(const SearchSpace& space,
                                                     absl::string_view metric,
                                                     const v1::ExportedTrial& trial) {
  ImportedTrial imported;
  imported.record.number = trial.number();
  imported.record.suggested = trial.suggested();
  const absl::Status taken = TakeTrial(space, metric, trial.trial(), &imported.record);
  if (!taken.ok()) return WithFieldPrefix(taken, "trial.");
  SLIPSTREAM_RETURN_IF_ERROR(TakeLinks(trial, &imported.record));
  SLIPSTREAM_ASSIGN_OR_RETURN(imported.reports, ReportsOf(metric, trial));
  if (trial.has_provenance()) imported.provenance = DeterministicBytes(trial.provenance());
  return imported;
}

}  // namespace slipstream
