#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/resource_message.h"
#include "server/store/sqlite/source_rows.h"
#include "server/store/sqlite/study_rows.h"
#include "server/store/sqlite/write_verbs.h"

namespace slipstream::sqlite {
namespace {

absl::Status CheckIdIsFree(WriteSession& session, const std::string& id) {
  const absl::Status found = session.heads.Find(id).status();
  if (absl::IsNotFound(found)) return absl::OkStatus();
  if (!found.ok()) return found;
  return absl::AlreadyExistsError(absl::StrCat(NameOfStudy(id), " exists already"));
}

absl::StatusOr<std::vector<int64_t>> FindSourceKeys(WriteSession& session,
                                                    const std::vector<std::string>& ids) {
  std::vector<int64_t> keys;
  for (const std::string& id : ids) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<SourceTaskRecord> task,
                                ReadSourceTask(session.connection, id));
    if (!task.has_value()) return SourceTaskNotFound(id);
    keys.push_back(task->key);
  }
  return keys;
}

StudyRecord RecordOf(const NewStudy& study, int64_t now_ms) {
  StudyRecord record;
  record.id = study.id;
  record.definition = study.definition;
  record.display_name = study.display_name;
  record.labels = study.labels;
  record.create_ms = now_ms;
  record.update_ms = now_ms;
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
  return renamed || labelled || moved;
}

}  // namespace

absl::StatusOr<StudyRecord> CreateStudy(WriteSession& session, const NewStudy& study) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckIdIsFree(session, study.id));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<int64_t> source_keys,
                              FindSourceKeys(session, study.source_ids));
  StudyRecord record = RecordOf(study, session.now_ms);
  SLIPSTREAM_RETURN_IF_ERROR(InsertStudy(session.connection, study.candidates, record));
  int64_t position = 0;
  for (const int64_t source_key : source_keys) {
    SLIPSTREAM_RETURN_IF_ERROR(
        InsertStudySource(session.connection, record.key, position++, source_key));
  }
  return record;
}

absl::StatusOr<StudyRecord> UpdateStudy(WriteSession& session, const std::string& id,
                                        const StudyChange& change) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead* head, session.heads.Find(id));
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyRecord record, ReadStudy(session.connection, id));
  // The head knows what earlier writes of this transaction did.
  record.state = head->state;
  record.trial_count = head->trial_count;
  record.succeeded_count = head->succeeded_count;
  record.suggested_count = head->suggested_count;
  SLIPSTREAM_RETURN_IF_ERROR(CheckChange(record, change));
  if (!ChangeRecord(change, record)) return record;
  record.update_ms = session.now_ms;
  session.heads.Change(*head).state = record.state;
  SLIPSTREAM_RETURN_IF_ERROR(UpdateStudyHead(session.connection, record));
  return record;
}

absl::StatusOr<Unit> DeleteStudy(WriteSession& session, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead* head, session.heads.Find(id));
  const int64_t key = head->key;
  SLIPSTREAM_RETURN_IF_ERROR(session.purge.Add(key, head->trial_count));
  session.heads.Forget(key);
  SLIPSTREAM_RETURN_IF_ERROR(DeleteStudyRows(session.connection, key));
  return Unit{};
}

}  // namespace slipstream::sqlite
