#include "server/store/sqlite/sqlite_transaction.h"

#include "core/base/status.h"

namespace slipstream::sqlite {

absl::Status SqliteTransaction::Begin() { return Query(writer_, "BEGIN IMMEDIATE").Run(); }

absl::Status SqliteTransaction::SetNow(int64_t now_ms) {
  now_ms_ = now_ms;
  return answers_.Begin(now_ms);
}

absl::Status SqliteTransaction::Commit() {
  SLIPSTREAM_RETURN_IF_ERROR(heads_.Flush());
  SLIPSTREAM_RETURN_IF_ERROR(Query(writer_, "COMMIT").Run());
  heads_.Committed();
  return absl::OkStatus();
}

absl::Status SqliteTransaction::RollBack() {
  heads_.RolledBack();
  answers_.RolledBack();
  purge_.RolledBack();
  return writer_.RollBack();
}

absl::StatusOr<std::optional<StudyRecord>> SqliteTransaction::FindStudy(const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> study, ReadStudy(writer_, id));
  // Counts are written at the commit.
  const StudyHead* cached = study.has_value() ? heads_.Cached(study->key) : nullptr;
  if (cached != nullptr) {
    study->trial_count = cached->trial_count;
    study->succeeded_count = cached->succeeded_count;
    study->suggested_count = cached->suggested_count;
  }
  return study;
}

absl::StatusOr<int64_t> SqliteTransaction::InsertStudy(const StudyRecord& study,
                                                       const std::string& candidates,
                                                       const std::vector<int64_t>& source_keys) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, sqlite::InsertStudy(writer_, study, candidates));
  SLIPSTREAM_RETURN_IF_ERROR(InsertStudySources(writer_, key, source_keys));
  return key;
}

absl::Status SqliteTransaction::UpdateStudy(const StudyRecord& study) {
  SLIPSTREAM_RETURN_IF_ERROR(UpdateStudyHead(writer_, study));
  heads_.UpdateState(study.key, study.state);
  return absl::OkStatus();
}

absl::Status SqliteTransaction::DeleteStudy(int64_t study_key) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> head, heads_.Find(study_key));
  if (head.has_value()) SLIPSTREAM_RETURN_IF_ERROR(purge_.Add(study_key, head->trial_count));
  heads_.Forget(study_key);
  return DeleteStudyRows(writer_, study_key);
}

}  // namespace slipstream::sqlite
