#include "server/service/study_import.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"
#include "server/convert/resource_name.h"
#include "server/convert/text_limits.h"
#include "server/service/answering.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// The header and the study come before the first trial.
constexpr int64_t kLinesBeforeTrials = 2;

std::string LineText(int64_t line) { return absl::StrCat("line ", line, ": "); }

int64_t BytesOf(const ImportedTrial& trial) {
  const TrialRecord& record = trial.record;
  const size_t texts = record.configuration.size() + record.measurement.size() +
                       record.reason.size() + record.worker.size() + record.process.host.size() +
                       record.labels.size() + record.note.size() + trial.provenance.size();
  return static_cast<int64_t>(sizeof(ImportedTrial) + texts +
                              trial.reports.size() * sizeof(StepReport));
}

const char* NameOf(v1::ExportLine::KindCase kind) {
  switch (kind) {
    case v1::ExportLine::kHeader:
      return "a header";
    case v1::ExportLine::kStudy:
      return "a study";
    case v1::ExportLine::kTrial:
      return "a trial";
    case v1::ExportLine::kEnd:
      return "the end";
    case v1::ExportLine::KIND_NOT_SET:
      return "nothing";
  }
  return "nothing";
}

}  // namespace

absl::Status StudyImport::Add(const v1::ImportStudyRequest& message) {
  if (message.has_header()) {
    SLIPSTREAM_RETURN_IF_ERROR(TakeHeader(message.header()));
  } else if (!has_header_) {
    return InvalidField("header", "absent", "present in the first message");
  }
  for (const v1::ExportLine& line : message.lines()) {
    ++lines_;
    const absl::Status status = AddLine(line);
    if (!status.ok()) return WithFieldPrefix(status, LineText(lines_));
    digest_ = HexSha256(absl::StrCat(digest_, DeterministicBytes(line)));
  }
  return absl::OkStatus();
}

absl::Status StudyImport::TakeHeader(const v1::ImportStudyRequest::Header& header) {
  if (std::exchange(has_header_, true)) {
    return InvalidField("header", "present", "absent after the first message");
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckRequestId(header.request_id()));
  SLIPSTREAM_ASSIGN_OR_RETURN(project_, ParseProjectName("header.parent", header.parent()));
  if (!header.study_id().empty()) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckStudyId("header.study_id", header.study_id()));
  }
  header_ = header;
  return absl::OkStatus();
}

absl::Status StudyImport::AddLine(const v1::ExportLine& line) {
  using Line = v1::ExportLine;
  if (ended_) return InvalidField("kind", NameOf(line.kind_case()), "nothing, after the end");
  if (lines_ == 1) {
    if (line.kind_case() == Line::kHeader) return CheckExportHeader(line.header());
    return InvalidField("kind", NameOf(line.kind_case()), "a header, in the first line");
  }
  if (!head_.has_value()) {
    if (line.kind_case() == Line::kStudy) return TakeStudy(line.study());
    return InvalidField("kind", NameOf(line.kind_case()), "a study, in the second line");
  }
  if (line.kind_case() == Line::kTrial) return TakeTrial(line.trial());
  if (line.kind_case() == Line::kEnd) return TakeEnd(line.end());
  return InvalidField("kind", NameOf(line.kind_case()), "a trial, or the end");
}

// A project that is not named is the default one, in which another study may have that name.
absl::Status StudyImport::CheckProjectIsMeant(const v1::Study& study) const {
  const absl::StatusOr<std::string> name = ParseStudyName("study.name", study.name());
  if (!header_.parent().empty() || !name.ok()) return absl::OkStatus();
  const absl::string_view project = ProjectOfId(*name);
  if (project == "default") return absl::OkStatus();
  return InvalidField("study.name", study.name(),
                      absl::StrCat("of the project default unless header.parent names the project "
                                   "to import into: projects/",
                                   project, " keeps it"));
}

absl::Status StudyImport::TakeStudy(const v1::Study& study) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckProjectIsMeant(study));
  std::string id = header_.study_id();
  if (id.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string name, ParseStudyName("study.name", study.name()));
    const size_t slash = name.find('/');
    id = slash == std::string::npos ? name : name.substr(slash + 1);
  }
  absl::StatusOr<ImportedHead> head = ImportedHeadFromProto(study);
  if (!head.ok()) return WithFieldPrefix(head.status(), "study.");
  head_ = *std::move(head);
  head_->study.study.id = StoredId(project_, id);
  head_->study.replace_existing = header_.replace_existing();
  held_bytes_ += static_cast<int64_t>(2 * study.SpaceUsedLong());
  return absl::OkStatus();
}

absl::Status StudyImport::TakeTrial(const v1::ExportedTrial& trial) {
  std::vector<ImportedTrial>& trials = head_->study.trials;
  const auto expected = static_cast<int64_t>(trials.size()) + 1;
  if (trial.number() != expected) {
    return InvalidField("trial.number", absl::StrCat(trial.number()), absl::StrCat(expected));
  }
  absl::StatusOr<ImportedTrial> checked =
      ImportedTrialFromProto(*head_->definition.space, head_->definition.metric, trial);
  if (!checked.ok()) return WithFieldPrefix(checked.status(), "trial.");
  // The list grows by doubling, and its old half is copied meanwhile.
  held_bytes_ += BytesOf(*checked) + static_cast<int64_t>(2 * sizeof(ImportedTrial));
  trials.push_back(*std::move(checked));
  return absl::OkStatus();
}

absl::Status StudyImport::TakeEnd(const v1::ExportLine::End& end) {
  const auto count = static_cast<int64_t>(head_->study.trials.size());
  if (end.trial_count() != count) {
    return InvalidField("end.trial_count", absl::StrCat(end.trial_count()),
                        absl::StrCat(count, ", the number of trials above"));
  }
  ended_ = true;
  return absl::OkStatus();
}

absl::Status StudyImport::CheckLinks() const {
  const std::vector<ImportedTrial>& trials = head_->study.trials;
  for (const ImportedTrial& trial : trials) {
    const TrialRecord& record = trial.record;
    if (record.requeued_as == 0) continue;
    const std::string field = LineText(record.number + kLinesBeforeTrials) + "trial.requeued_as";
    if (record.requeued_as > static_cast<int64_t>(trials.size())) {
      return InvalidField(field, absl::StrCat(record.requeued_as), "the number of a trial below");
    }
    const int64_t first = record.requeue_of > 0 ? record.requeue_of : record.number;
    const TrialRecord& next = trials[static_cast<size_t>(record.requeued_as) - 1].record;
    // Chains are walked through, so their lengths are bounded by that of `requeues`.
    if (next.requeue_of == first && next.requeues == record.requeues + 1) continue;
    return InvalidField(field, absl::StrCat(record.requeued_as),
                        absl::StrCat("a trial whose requeue_of is ", first,
                                     " and whose requeues is ", record.requeues + 1));
  }
  return absl::OkStatus();
}

absl::StatusOr<ImportedStudy> StudyImport::Finish() {
  if (!has_header_) return InvalidField("header", "absent", "present in the first message");
  if (!ended_) {
    return InvalidField(absl::StrCat(LineText(lines_ + 1), "kind"), "missing",
                        "present: the lines were cut off before the end");
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckLinks());
  return std::move(head_->study);
}

RequestGuard StudyImport::Guard() const {
  return GuardOf(absl::StrCat("ImportStudy ", digest_), header_);
}

}  // namespace slipstream
