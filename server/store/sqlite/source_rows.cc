#include "server/store/sqlite/source_rows.h"

#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

#define SLIPSTREAM_SELECT_SOURCE_TASK                                                         \
  "SELECT key, id, create_ms, observation_count, measured_count,"                             \
  " (SELECT count(DISTINCT study_key) FROM study_sources WHERE source_key = key), definition" \
  " FROM source_tasks "

constexpr char kSourceTaskById[] = SLIPSTREAM_SELECT_SOURCE_TASK "WHERE id = ?";
constexpr char kSourceTasksInOrder[] =
    SLIPSTREAM_SELECT_SOURCE_TASK "WHERE key > ? ORDER BY key LIMIT ?";

#undef SLIPSTREAM_SELECT_SOURCE_TASK

SourceTaskRecord SourceTaskOf(const Query& row) {
  SourceTaskRecord task;
  task.key = row.Integer(0);
  task.id = row.Bytes(1);
  task.create_ms = row.Integer(2);
  task.observation_count = row.Integer(3);
  task.measured_count = row.Integer(4);
  task.study_count = row.Integer(5);
  task.definition = row.Bytes(6);
  return task;
}

}  // namespace

absl::StatusOr<std::optional<SourceTaskRecord>> ReadSourceTask(Connection& connection,
                                                               const std::string& id) {
  Query query(connection, kSourceTaskById);
  query.BindText(id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<SourceTaskRecord>(SourceTaskOf(query)) : std::nullopt;
}

absl::StatusOr<std::vector<SourceTaskRecord>> ReadSourceTasks(Connection& connection,
                                                              int64_t after_key, int limit) {
  Query query(connection, kSourceTasksInOrder);
  query.BindInteger(after_key).BindInteger(limit);
  std::vector<SourceTaskRecord> tasks;
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool more, query.Next());
    if (!more) return tasks;
    tasks.push_back(SourceTaskOf(query));
  }
}

absl::StatusOr<std::optional<int64_t>> ReadSourceTaskKey(Connection& connection,
                                                         const std::string& id) {
  Query query(connection, "SELECT key FROM source_tasks WHERE id = ?");
  query.BindText(id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<int64_t>(query.Integer(0)) : std::nullopt;
}

absl::StatusOr<std::vector<std::string>> ReadSourceChunks(Connection& connection, int64_t key) {
  Query query(connection, "SELECT data FROM source_chunks WHERE source_key = ? ORDER BY position");
  query.BindInteger(key);
  std::vector<std::string> chunks;
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool more, query.Next());
    if (!more) return chunks;
    chunks.push_back(query.Bytes(0));
  }
}

absl::StatusOr<std::optional<std::string>> ReadStudyUsing(Connection& connection, int64_t key) {
  Query query(connection,
              "SELECT id FROM study_sources JOIN studies ON studies.key = study_key"
              " WHERE source_key = ? LIMIT 1");
  query.BindInteger(key);
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
  return found ? std::optional<std::string>(query.Bytes(0)) : std::nullopt;
}

absl::StatusOr<int64_t> InsertSourceTask(Connection& connection, const SourceTaskRecord& record,
                                         const std::vector<std::string>& chunks) {
  Query task(connection,
             "INSERT INTO source_tasks(id, create_ms, observation_count, measured_count,"
             " definition) VALUES(?, ?, ?, ?, ?)");
  task.BindText(record.id)
      .BindInteger(record.create_ms)
      .BindInteger(record.observation_count)
      .BindInteger(record.measured_count)
      .BindBlob(record.definition);
  SLIPSTREAM_RETURN_IF_ERROR(task.Run());
  const int64_t key = connection.last_inserted();
  int64_t position = 0;
  for (const std::string& chunk : chunks) {
    Query query(connection,
                "INSERT INTO source_chunks(source_key, position, data) VALUES(?, ?, ?)");
    query.BindInteger(key).BindInteger(position++).BindBlob(chunk);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  return key;
}

absl::Status DeleteSourceTaskRows(Connection& connection, int64_t key) {
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(connection, "DELETE FROM source_chunks WHERE source_key = ?").BindInteger(key).Run());
  return Query(connection, "DELETE FROM source_tasks WHERE key = ?").BindInteger(key).RunOnOneRow();
}

}  // namespace slipstream::sqlite
