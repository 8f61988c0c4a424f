#include "server/store/study_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/event_rules.h"
#include "server/store/quota_rules.h"
#include "server/store/resource_message.h"
#include "server/store/trial_rules.h"

namespace slipstream::rules {
namespace {

StudyRecord CreatedStudy(const NewStudy& study, const StudyBeginning& beginning) {
  StudyRecord record;
  record.key = beginning.key;
  record.id = study.id;
  record.definition = study.definition;
  record.display_name = study.display_name;
  record.labels = study.labels;
  record.lease = study.lease;
  record.state = beginning.state;
  record.create_ms = beginning.create_ms;
  record.update_ms = beginning.update_ms;
  record.bytes = StoredBytesOf(study);
  return record;
}

absl::Status CheckChange(const StudyRecord& record, const StudyChange& change) {
  const bool reopens = record.state == StudyState::kCompleted && change.state.has_value() &&
                       *change.state != StudyState::kCompleted;
  if (!reopens) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(NameOfStudy(record.id), " is COMPLETED and stays so"));
}

template <typename Value>
bool Assign(const std::optional<Value>& source, Value& target) {
  if (!source.has_value() || *source == target) return false;
  target = *source;
  return true;
}

// Whether anything became different.
bool ChangeRecord(const StudyChange& change, StudyRecord& record) {
  const bool renamed = Assign(change.display_name, record.display_name);
  const bool labelled = Assign(change.labels, record.labels);
  const bool moved = Assign(change.state, record.state);
  const bool leased = Assign(change.lease, record.lease);
  return renamed || labelled || moved || leased;
}

}  // namespace

absl::Status CheckIdIsFree(RowTransaction& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> taken, rows.FindStudyHead(id));
  if (!taken.has_value()) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(NameOfStudy(id), " exists already"));
}

absl::StatusOr<std::vector<int64_t>> FindSourceKeys(RowTransaction& rows,
                                                    const std::vector<std::string>& ids) {
  std::vector<int64_t> keys;
  std::vector<std::string> missing;
  for (const std::string& id : ids) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> key, rows.FindSourceTaskKey(id));
    if (!key.has_value()) {
      missing.push_back(id);
    } else {
      keys.push_back(*key);
    }
  }
  if (!missing.empty()) return SourceTasksNotFound(missing);
  return keys;
}

absl::StatusOr<StudyRecord> StoreNewStudy(RowTransaction& rows, const NewStudy& study,
                                          const StudyBeginning& beginning, const ProjectUsage& more,
                                          Quotas* quotas) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckIdIsFree(rows, study.id));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<int64_t> source_keys,
                              FindSourceKeys(rows, study.source_ids));
  SLIPSTREAM_RETURN_IF_ERROR(CheckQuota(rows, quotas, study.id, more));
  StudyRecord record = CreatedStudy(study, beginning);
  SLIPSTREAM_ASSIGN_OR_RETURN(record.key, rows.InsertStudy(record, study.candidates, source_keys));
  SLIPSTREAM_RETURN_IF_ERROR(EmitStudyEvent(rows, EventKind::kStudyCreated, record.key, record.id));
  return record;
}

absl::StatusOr<StudyRecord> CreateStudy(RowTransaction& rows, const NewStudy& study,
                                        Quotas* quotas) {
  return StoreNewStudy(rows, study, {StudyState::kActive, rows.now_ms(), rows.now_ms()},
                       {.studies = 1, .bytes = StoredBytesOf(study)}, quotas);
}

absl::StatusOr<StudyRecord> UpdateStudy(RowTransaction& rows, const StudyRef& study,
                                        const StudyChange& change) {
  SLIPSTREAM_RETURN_IF_ERROR(RequireStudy(rows, study).status());
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> record, rows.FindStudy(study.id));
  if (!record.has_value()) return StudyNotFound(study.id);
  SLIPSTREAM_RETURN_IF_ERROR(CheckChange(*record, change));
  if (!ChangeRecord(change, *record)) return *std::move(record);
  record->update_ms = rows.now_ms();
  SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateStudy(*record));
  SLIPSTREAM_RETURN_IF_ERROR(EmitStudyChange(rows, *record));
  return *std::move(record);
}

absl::StatusOr<Unit> DeleteStudy(RowTransaction& rows, const StudyRef& study) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead head, RequireStudy(rows, study));
  SLIPSTREAM_RETURN_IF_ERROR(rows.DeleteStudy(head.key));
  SLIPSTREAM_RETURN_IF_ERROR(EmitStudyEvent(rows, EventKind::kStudyDeleted, head.key, study.id));
  return Unit{};
}

absl::StatusOr<Unit> ExpireStudy(RowTransaction& rows, const StudyRef& study, int64_t age_ms) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyRecord> record, rows.FindStudy(study.id));
  if (!record.has_value() || record->key != study.key.value_or(record->key)) {
    return StudyNotFound(study.id);
  }
  if (record->state != StudyState::kCompleted) {
    return absl::FailedPreconditionError(absl::StrCat(NameOfStudy(study.id), " is not COMPLETED"));
  }
  if (rows.now_ms() - record->update_ms < age_ms) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfStudy(study.id), " has been changed too recently"));
  }
  return DeleteStudy(rows, study.id);
}

absl::StatusOr<StudyRecord> GetStudy(RowSnapshot& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> study, rows.FindStudy(id));
  if (!study.has_value()) return StudyNotFound(id);
  return *std::move(study);
}

absl::StatusOr<StudyRecord> GetStudySummary(RowSnapshot& rows, const StudyRef& study) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireStudyKey(rows, study));
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> summary, rows.FindStudySummary(key));
  if (!summary.has_value()) return StudyNotFound(study.id);
  return *std::move(summary);
}

absl::StatusOr<std::vector<StudyRecord>> ListStudies(RowSnapshot& rows, ListFilter filter) {
  filter.limit = std::max(filter.limit, 0);
  return rows.ListStudies(filter);
}

absl::StatusOr<std::string> GetCandidates(RowSnapshot& rows, int64_t study_key) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<std::string> candidates,
                              rows.FindCandidates(study_key));
  if (candidates.has_value()) return *std::move(candidates);
  return absl::NotFoundError(absl::StrCat("there is no study with key ", study_key));
}

absl::StatusOr<StudyHead> RequireStudy(RowTransaction& rows, const StudyRef& study) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> head, rows.FindStudyHead(study.id));
  if (!head.has_value() || head->key != study.key.value_or(head->key)) {
    return StudyNotFound(study.id);
  }
  if (head->create_ms != study.create_ms.value_or(head->create_ms)) return StudyReplaced(study.id);
  return *head;
}

absl::Status NoteChangeOfTrials(RowTransaction& rows, const StudyHead& head) {
  if (head.state != StudyState::kCompleted) return absl::OkStatus();
  return rows.UpdateTime(head.key, rows.now_ms());
}

}  // namespace slipstream::rules
