// The rows of studies and of the source tasks that they use.
#include <optional>

#include "core/base/status.h"
#include "server/store/resource_message.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace slipstream::sqlite {
namespace {

static_assert(kTrialNumberBits == 24 && kMaxTrialNumber == 16777215);
#define SLIPSTREAM_STUDY_COLUMNS                                                         \
  "key, id, create_ms, update_ms, state, trial_count, succeeded_count, suggested_count," \
  " late_count, lease_ms, max_requeues, best, display_name, labels, bytes,"              \
  " (SELECT trials.create_ms FROM trials"                                                \
  "  WHERE trials.id BETWEEN key << 24 AND (key << 24) | 16777215"                       \
  "  ORDER BY trials.id DESC LIMIT 1)"
#define SLIPSTREAM_FROM_STUDIES " FROM studies JOIN study_heads USING (key) "

constexpr char kStudyById[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", definition" SLIPSTREAM_FROM_STUDIES "WHERE id = ?";
constexpr char kStudySummaryByKey[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", x''" SLIPSTREAM_FROM_STUDIES "WHERE key = ?";
constexpr char kStudiesInOrder[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", x''" SLIPSTREAM_FROM_STUDIES
    "WHERE key > ?1 ORDER BY key LIMIT ?2";
constexpr char kStudiesOfProject[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", x''" SLIPSTREAM_FROM_STUDIES
    "WHERE " SLIPSTREAM_IS_OF_PROJECT " AND key > ?1 ORDER BY key LIMIT ?2";

#undef SLIPSTREAM_FROM_STUDIES
#undef SLIPSTREAM_STUDY_COLUMNS

StudyRecord StudyOf(const Query& row) {
  StudyRecord study;
  study.key = row.Integer(0);
  study.id = row.Bytes(1);
  study.create_ms = row.Integer(2);
  study.update_ms = row.Integer(3);
  study.state = static_cast<StudyState>(row.Integer(4));
  study.trial_count = row.Integer(5);
  study.succeeded_count = row.Integer(6);
  study.suggested_count = row.Integer(7);
  study.late_count = row.Integer(8);
  study.lease = {row.Integer(9), row.Integer(10)};
  study.best = row.OptionalReal(11);
  study.display_name = row.Bytes(12);
  study.labels = row.Bytes(13);
  study.bytes = row.Integer(14);
  study.last_trial_ms = row.OptionalInteger(15);
  study.definition = row.Bytes(16);
  return study;
}

}  // namespace

absl::StatusOr<std::optional<StudyRecord>> ReadStudy(Connection& connection,
                                                     const std::string& id) {
  Query query(connection, kStudyById);
  query.BindText(id);
  return query.First(StudyOf);
}

absl::StatusOr<StoreCounts> SqliteSnapshot::Count() {
  Query query(reader_,
              "SELECT count(*), coalesce(sum(trial_count), 0), (SELECT count(*) FROM source_tasks)"
              " FROM study_heads");
  SLIPSTREAM_RETURN_IF_ERROR(query.Next().status());
  return StoreCounts{query.Integer(0), query.Integer(1), query.Integer(2)};
}

absl::StatusOr<std::optional<int64_t>> SqliteSnapshot::FindStudyKey(const std::string& id) {
  Query query(reader_, "SELECT key FROM studies WHERE id = ?");
  query.BindText(id);
  return query.First([](const Query& row) { return row.Integer(0); });
}

absl::StatusOr<std::optional<StudyRecord>> SqliteSnapshot::FindStudySummary(int64_t key) {
  Query query(reader_, kStudySummaryByKey);
  query.BindInteger(key);
  return query.First(StudyOf);
}

absl::StatusOr<std::vector<StudyRecord>> SqliteSnapshot::ListStudies(const ListFilter& filter) {
  Query query(reader_, filter.project.has_value() ? kStudiesOfProject : kStudiesInOrder);
  BindFilter(filter, query);
  return query.All(StudyOf);
}

absl::StatusOr<std::optional<std::string>> SqliteSnapshot::FindCandidates(int64_t study_key) {
  Query query(reader_, "SELECT candidates FROM studies WHERE key = ?");
  query.BindInteger(study_key);
  return query.First([](const Query& row) { return row.Bytes(0); });
}

absl::StatusOr<std::vector<std::string>> SqliteSnapshot::ListStudySources(int64_t study_key) {
  Query query(reader_,
              "SELECT source_tasks.id FROM study_sources"
              " JOIN source_tasks ON source_tasks.key = source_key"
              " WHERE study_key = ? ORDER BY position");
  query.BindInteger(study_key);
  return query.All([](const Query& row) { return row.Bytes(0); });
}

absl::StatusOr<std::optional<StudyRecord>> SqliteTransaction::FindStudy(const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> study, ReadStudy(writer_, id));
  // Counts are written at the commit.
  const StudyHead* cached = study.has_value() ? heads_.Cached(study->key) : nullptr;
  if (cached != nullptr) {
    study->trial_count = cached->trial_count;
    study->succeeded_count = cached->succeeded_count;
    study->suggested_count = cached->suggested_count;
    study->late_count = cached->late_count;
    study->best = cached->best;
    study->bytes = cached->bytes;
  }
  return study;
}

absl::StatusOr<int64_t> SqliteTransaction::InsertStudy(const StudyRecord& study,
                                                       const std::string& candidates,
                                                       const std::vector<int64_t>& source_keys) {
  adds_ = true;
  Query body(writer_,
             "INSERT INTO studies(key, id, create_ms, definition, candidates)"
             " VALUES(?, ?, ?, ?, ?)");
  body.BindInteger(study.key > 0 ? std::optional<int64_t>(study.key) : std::nullopt)
      .BindText(study.id)
      .BindInteger(study.create_ms)
      .BindBlob(study.definition)
      .BindBlob(candidates);
  SLIPSTREAM_RETURN_IF_ERROR(body.Run());
  const int64_t key = writer_.last_inserted();
  if (study.key > 0) SLIPSTREAM_RETURN_IF_ERROR(study_purge_.Keep(key));
  Query head(writer_,
             "INSERT INTO study_heads(key, state, update_ms, trial_count, succeeded_count,"
             " suggested_count, display_name, labels, lease_ms, max_requeues, bytes)"
             " VALUES(?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?)");
  head.BindInteger(key)
      .BindInteger(static_cast<int64_t>(study.state))
      .BindInteger(study.update_ms)
      .BindText(study.display_name)
      .BindBlob(study.labels)
      .BindInteger(study.lease.duration_ms)
      .BindInteger(study.lease.max_requeues)
      .BindInteger(study.bytes);
  SLIPSTREAM_RETURN_IF_ERROR(head.Run());
  usages_.Add(ProjectOfId(study.id), {.studies = 1, .bytes = study.bytes});
  int64_t position = 0;
  for (const int64_t source_key : source_keys) {
    Query query(writer_,
                "INSERT INTO study_sources(study_key, position, source_key) VALUES(?, ?, ?)");
    query.BindInteger(key).BindInteger(position++).BindInteger(source_key);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  return key;
}

// The row is there for its key alone, which is never given again.
absl::StatusOr<int64_t> SqliteTransaction::BeginStudy(int64_t trial_count) {
  adds_ = true;
  Query row(writer_,
            "INSERT INTO studies(id, create_ms, definition, candidates) VALUES('', 0, x'', x'')");
  SLIPSTREAM_RETURN_IF_ERROR(row.Run());
  const int64_t key = writer_.last_inserted();
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(writer_, "DELETE FROM studies WHERE key = ?").BindInteger(key).RunOnOneRow());
  SLIPSTREAM_RETURN_IF_ERROR(study_purge_.Hold(key, trial_count));
  return key;
}

absl::Status SqliteTransaction::GiveUpStudy(int64_t study_key) {
  deletes_ = true;
  study_purge_.Release(study_key);
  return absl::OkStatus();
}

absl::Status SqliteTransaction::UpdateStudy(const StudyRecord& study) {
  Query query(writer_,
              "UPDATE study_heads SET state = ?, update_ms = ?, display_name = ?, labels = ?,"
              " lease_ms = ?, max_requeues = ? WHERE key = ?");
  query.BindInteger(static_cast<int64_t>(study.state))
      .BindInteger(study.update_ms)
      .BindText(study.display_name)
      .BindBlob(study.labels)
      .BindInteger(study.lease.duration_ms)
      .BindInteger(study.lease.max_requeues)
      .BindInteger(study.key);
  SLIPSTREAM_RETURN_IF_ERROR(query.RunOnOneRow());
  heads_.UpdateSettings(study);
  return absl::OkStatus();
}

absl::Status SqliteTransaction::UpdateTime(int64_t study_key, int64_t update_ms) {
  return Query(writer_, "UPDATE study_heads SET update_ms = ? WHERE key = ?")
      .BindInteger(update_ms)
      .BindInteger(study_key)
      .RunOnOneRow();
}

// The purge erases the trials.
absl::Status SqliteTransaction::DeleteStudy(int64_t study_key) {
  deletes_ = true;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<StudyHead> head, heads_.Find(study_key));
  if (head.has_value()) SLIPSTREAM_RETURN_IF_ERROR(study_purge_.Add(study_key, head->trial_count));
  heads_.Forget(study_key);
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(writer_, "DELETE FROM study_sources WHERE study_key = ?").BindInteger(study_key).Run());
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(writer_, "DELETE FROM study_heads WHERE key = ?").BindInteger(study_key).Run());
  return Query(writer_, "DELETE FROM studies WHERE key = ?").BindInteger(study_key).RunOnOneRow();
}

}  // namespace slipstream::sqlite
