#include "server/service/study_export.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/status.h"
#include "server/convert/export_conversion.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

constexpr int kTrialsAtOnce = 50;
// Trials after the first are left for the next read once there are so many reports.
constexpr int64_t kReportsAtOnce = 10000;

// The first trials that together have few reports, at least one.
void KeepFew(std::vector<TrialRecord>* records) {
  int64_t reports = 0;
  size_t kept = 0;
  while (kept < records->size() && (kept == 0 || reports < kReportsAtOnce)) {
    reports += (*records)[kept++].report_count;
  }
  records->resize(kept);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StudyExport>> StudyExport::Open(Store* store,
                                                               const StudyRef& study) {
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyRecord record, store->GetStudy(study.id));
  if (record.create_ms != study.create_ms.value_or(record.create_ms)) {
    return StudyReplaced(study.id);
  }
  return std::unique_ptr<StudyExport>(new StudyExport(store, std::move(record)));
}

absl::StatusOr<v1::ExportStudyResponse> StudyExport::Next() {
  v1::ExportStudyResponse answer;
  if (!std::exchange(begun_, true)) SLIPSTREAM_RETURN_IF_ERROR(AddBeginning(&answer));
  bool is_full = false;
  while (!ended_ && !is_full) {
    if (last_number_ < record_.trial_count) {
      SLIPSTREAM_ASSIGN_OR_RETURN(is_full, AddTrials(&answer));
    } else {
      *answer.add_lines() = ExportEnd(record_.trial_count);
      ended_ = true;
    }
  }
  return answer;
}

absl::Status StudyExport::AddBeginning(v1::ExportStudyResponse* answer) {
  const absl::StatusOr<std::string> candidates = store_.GetCandidates(record_.key);
  if (absl::IsNotFound(candidates.status())) return StudyNotFound(record_.id);
  SLIPSTREAM_RETURN_IF_ERROR(candidates.status());
  SLIPSTREAM_ASSIGN_OR_RETURN(v1::ExportLine line, ExportedStudyLine(record_, *candidates));
  metric_ = line.study().metrics(0).name();
  *answer->add_lines() = ExportHeader();
  *answer->add_lines() = std::move(line);
  return absl::OkStatus();
}

absl::StatusOr<bool> StudyExport::AddTrials(v1::ExportStudyResponse* answer) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<ImportedTrial> trials, ReadTrials());
  size_t bytes = answer->ByteSizeLong();
  for (const ImportedTrial& trial : trials) {
    SLIPSTREAM_ASSIGN_OR_RETURN(v1::ExportLine line,
                                ExportedTrialLine(record_.id, metric_, trial, record_.trial_count));
    bytes += line.ByteSizeLong();
    if (bytes > kFullBytes && answer->lines_size() > 0) return true;
    *answer->add_lines() = std::move(line);
    last_number_ = trial.record.number;
  }
  return false;
}

absl::StatusOr<std::vector<ImportedTrial>> StudyExport::ReadTrials() {
  const StudyRef study(record_.id, record_.key);
  TrialFilter filter;
  filter.after_number = last_number_;
  filter.limit =
      static_cast<int>(std::min<int64_t>(kTrialsAtOnce, record_.trial_count - last_number_));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<TrialRecord> records, store_.ListTrials(study, filter));
  for (size_t i = 0; i <= records.size(); ++i) {
    const auto expected = last_number_ + 1 + static_cast<int64_t>(i);
    const bool is_sound = i < records.size() ? records[i].number == expected : i > 0;
    if (!is_sound) return absl::DataLossError(NameOfTrial(record_.id, expected) + " is missing");
  }
  KeepFew(&records);
  std::vector<ImportedTrial> trials;
  for (TrialRecord& record : records) trials.push_back({std::move(record), "", {}});
  SLIPSTREAM_ASSIGN_OR_RETURN(
      std::vector<TrialProvenance> provenances,
      store_.ListProvenances(study, last_number_, trials.back().record.number));
  for (TrialProvenance& each : provenances) {
    const auto place = static_cast<size_t>(each.number - trials.front().record.number);
    trials[place].provenance = std::move(each.provenance);
  }
  SLIPSTREAM_RETURN_IF_ERROR(FillReports(&trials));
  return trials;
}

// A trial that was given back meanwhile has no reports any more.
absl::Status StudyExport::FillReports(std::vector<ImportedTrial>* trials) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const std::vector<ReportRecord> reports,
      store_.ListReports(StudyRef(record_.id, record_.key), last_number_,
                         trials->back().record.number, std::numeric_limits<int>::max()));
  for (const ReportRecord& each : reports) {
    ImportedTrial& trial =
        (*trials)[static_cast<size_t>(each.number - trials->front().record.number)];
    if (trial.record.report_count > 0) trial.reports.push_back(each.report);
  }
  return absl::OkStatus();
}

}  // namespace slipstream
