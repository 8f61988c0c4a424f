#include "server/store/sqlite/study_rows.h"

#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

#define SLIPSTREAM_STUDY_COLUMNS                                                         \
  "key, id, create_ms, update_ms, state, trial_count, succeeded_count, suggested_count," \
  " display_name, labels"
#define SLIPSTREAM_FROM_STUDIES " FROM studies JOIN study_heads USING (key) "

constexpr char kStudyById[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", definition" SLIPSTREAM_FROM_STUDIES "WHERE id = ?";
constexpr char kStudySummaryByKey[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", x''" SLIPSTREAM_FROM_STUDIES "WHERE key = ?";
constexpr char kStudiesInOrder[] =
    "SELECT " SLIPSTREAM_STUDY_COLUMNS ", definition" SLIPSTREAM_FROM_STUDIES
    "WHERE key > ? ORDER BY key LIMIT ?";

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
  study.display_name = row.Bytes(8);
  study.labels = row.Bytes(9);
  study.definition = row.Bytes(10);
  return study;
}

}  // namespace

absl::StatusOr<std::optional<int64_t>> ReadStudyKey(Connection& connection,
                                                    const std::string& id) {
  Query query(connection, "SELECT key FROM studies WHERE id = ?");
  query.BindText(id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<int64_t>(query.Integer(0)) : std::nullopt;
}

absl::StatusOr<std::optional<StudyRecord>> ReadStudy(Connection& connection,
                                                     const std::string& id) {
  Query query(connection, kStudyById);
  query.BindText(id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<StudyRecord>(StudyOf(query)) : std::nullopt;
}

absl::StatusOr<std::optional<StudyRecord>> ReadStudySummary(Connection& connection, int64_t key) {
  Query query(connection, kStudySummaryByKey);
  query.BindInteger(key);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<StudyRecord>(StudyOf(query)) : std::nullopt;
}

absl::StatusOr<std::vector<StudyRecord>> ReadStudies(Connection& connection, int64_t after_key,
                                                     int limit) {
  Query query(connection, kStudiesInOrder);
  query.BindInteger(after_key).BindInteger(limit);
  std::vector<StudyRecord> studies;
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool more, query.Next());
    if (!more) return studies;
    studies.push_back(StudyOf(query));
  }
}

absl::StatusOr<std::optional<std::string>> ReadCandidates(Connection& connection, int64_t key) {
  Query query(connection, "SELECT candidates FROM studies WHERE key = ?");
  query.BindInteger(key);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<std::string>(query.Bytes(0)) : std::nullopt;
}

absl::StatusOr<std::vector<std::string>> ReadStudySources(Connection& connection, int64_t key) {
  Query query(connection,
              "SELECT source_tasks.id FROM study_sources"
              " JOIN source_tasks ON source_tasks.key = source_key"
              " WHERE study_key = ? ORDER BY position");
  query.BindInteger(key);
  std::vector<std::string> ids;
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool more, query.Next());
    if (!more) return ids;
    ids.push_back(query.Bytes(0));
  }
}

absl::StatusOr<int64_t> InsertStudy(Connection& connection, const StudyRecord& study,
                                    const std::string& candidates) {
  Query body(connection,
             "INSERT INTO studies(id, create_ms, definition, candidates) VALUES(?, ?, ?, ?)");
  body.BindText(study.id)
      .BindInteger(study.create_ms)
      .BindBlob(study.definition)
      .BindBlob(candidates);
  SLIPSTREAM_RETURN_IF_ERROR(body.Run());
  const int64_t key = connection.last_inserted();
  Query head(connection,
             "INSERT INTO study_heads(key, state, update_ms, trial_count, succeeded_count,"
             " suggested_count, display_name, labels) VALUES(?, ?, ?, 0, 0, 0, ?, ?)");
  head.BindInteger(key)
      .BindInteger(static_cast<int64_t>(study.state))
      .BindInteger(study.update_ms)
      .BindText(study.display_name)
      .BindBlob(study.labels);
  SLIPSTREAM_RETURN_IF_ERROR(head.Run());
  return key;
}

absl::Status InsertStudySources(Connection& connection, int64_t study_key,
                                const std::vector<int64_t>& source_keys) {
  int64_t position = 0;
  for (const int64_t source_key : source_keys) {
    Query query(connection,
                "INSERT INTO study_sources(study_key, position, source_key) VALUES(?, ?, ?)");
    query.BindInteger(study_key).BindInteger(position++).BindInteger(source_key);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  return absl::OkStatus();
}

absl::Status UpdateStudyHead(Connection& connection, const StudyRecord& study) {
  Query query(connection,
              "UPDATE study_heads SET state = ?, update_ms = ?, display_name = ?, labels = ?"
              " WHERE key = ?");
  return query.BindInteger(static_cast<int64_t>(study.state))
      .BindInteger(study.update_ms)
      .BindText(study.display_name)
      .BindBlob(study.labels)
      .BindInteger(study.key)
      .RunOnOneRow();
}

absl::Status DeleteStudyRows(Connection& connection, int64_t key) {
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(connection, "DELETE FROM study_sources WHERE study_key = ?").BindInteger(key).Run());
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(connection, "DELETE FROM study_heads WHERE key = ?").BindInteger(key).Run());
  return Query(connection, "DELETE FROM studies WHERE key = ?").BindInteger(key).RunOnOneRow();
}

}  // namespace slipstream::sqlite
