// The rows of source tasks and their observations.
#include <optional>

#include "core/base/status.h"
#include "server/store/resource_message.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace slipstream::sqlite {
namespace {

#define SLIPSTREAM_SELECT_SOURCE_TASK                                                         \
  "SELECT key, id, create_ms, observation_count, measured_count,"                             \
  " (SELECT count(DISTINCT study_key) FROM study_sources WHERE source_key = key), "

constexpr char kSourceTaskById[] =
    SLIPSTREAM_SELECT_SOURCE_TASK "definition FROM source_tasks WHERE id = ?";
constexpr char kSourceTasksInOrder[] =
    SLIPSTREAM_SELECT_SOURCE_TASK "x'' FROM source_tasks WHERE key > ?1 ORDER BY key LIMIT ?2";
constexpr char kSourceTasksOfProject[] = SLIPSTREAM_SELECT_SOURCE_TASK
    "x'' FROM source_tasks WHERE " SLIPSTREAM_IS_OF_PROJECT
    " AND key > ?1 ORDER BY key LIMIT ?2";

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
  return query.First(SourceTaskOf);
}

absl::StatusOr<std::optional<int64_t>> ReadSourceTaskKey(Connection& connection,
                                                         const std::string& id) {
  Query query(connection, "SELECT key FROM source_tasks WHERE id = ?");
  query.BindText(id);
  return query.First([](const Query& row) { return row.Integer(0); });
}

absl::StatusOr<std::vector<SourceTaskRecord>> SqliteSnapshot::ListSourceTasks(
    const ListFilter& filter) {
  Query query(reader_, filter.project.has_value() ? kSourceTasksOfProject : kSourceTasksInOrder);
  BindFilter(filter, query);
  return query.All(SourceTaskOf);
}

absl::StatusOr<std::vector<std::string>> SqliteSnapshot::ListSourceChunks(int64_t source_key) {
  Query query(reader_, "SELECT data FROM source_chunks WHERE source_key = ? ORDER BY position");
  query.BindInteger(source_key);
  return query.All([](const Query& row) { return row.Bytes(0); });
}

absl::StatusOr<std::optional<std::string>> SqliteSnapshot::FindSourceChunk(int64_t source_key,
                                                                           int64_t position) {
  Query query(reader_, "SELECT data FROM source_chunks WHERE source_key = ? AND position = ?");
  query.BindInteger(source_key);
  query.BindInteger(position);
  return query.First([](const Query& row) { return row.Bytes(0); });
}

absl::StatusOr<std::vector<std::string>> SqliteTransaction::FindStudiesUsing(int64_t source_key,
                                                                             int limit) {
  Query query(writer_,
              "SELECT id FROM studies WHERE key IN"
              " (SELECT study_key FROM study_sources WHERE source_key = ?) ORDER BY key LIMIT ?");
  query.BindInteger(source_key).BindInteger(limit);
  return query.All([](const Query& row) { return row.Bytes(0); });
}

absl::StatusOr<int64_t> SqliteTransaction::InsertSourceTask(const SourceTaskRecord& record,
                                                            int64_t bytes) {
  adds_ = true;
  Query task(writer_,
             "INSERT INTO source_tasks(key, id, create_ms, observation_count, measured_count,"
             " definition, bytes) VALUES(?, ?, ?, ?, ?, ?, ?)");
  task.BindInteger(record.key > 0 ? std::optional<int64_t>(record.key) : std::nullopt)
      .BindText(record.id)
      .BindInteger(record.create_ms)
      .BindInteger(record.observation_count)
      .BindInteger(record.measured_count)
      .BindBlob(record.definition)
      .BindInteger(bytes);
  SLIPSTREAM_RETURN_IF_ERROR(task.Run());
  const int64_t key = writer_.last_inserted();
  if (record.key > 0) SLIPSTREAM_RETURN_IF_ERROR(source_purge_.Keep(key));
  usages_.Add(ProjectOfId(record.id), {.source_tasks = 1, .bytes = bytes});
  return key;
}

absl::Status SqliteTransaction::InsertSourceChunks(int64_t source_key, int64_t position,
                                                   absl::Span<const std::string> chunks) {
  adds_ = true;
  for (const std::string& chunk : chunks) {
    Query query(writer_, "INSERT INTO source_chunks(source_key, position, data) VALUES(?, ?, ?)");
    query.BindInteger(source_key).BindInteger(position++).BindBlob(chunk);
    SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  }
  return absl::OkStatus();
}

// The row is there for its key alone, as that of a study that is begun.
absl::StatusOr<int64_t> SqliteTransaction::BeginSourceTask(int64_t chunk_count) {
  adds_ = true;
  Query row(writer_,
            "INSERT INTO source_tasks(id, create_ms, observation_count, measured_count, definition)"
            " VALUES('', 0, 0, 0, x'')");
  SLIPSTREAM_RETURN_IF_ERROR(row.Run());
  const int64_t key = writer_.last_inserted();
  SLIPSTREAM_RETURN_IF_ERROR(
      Query(writer_, "DELETE FROM source_tasks WHERE key = ?").BindInteger(key).RunOnOneRow());
  SLIPSTREAM_RETURN_IF_ERROR(source_purge_.Hold(key, chunk_count));
  return key;
}

absl::Status SqliteTransaction::GiveUpSourceTask(int64_t source_key) {
  deletes_ = true;
  source_purge_.Release(source_key);
  return absl::OkStatus();
}

// The purge erases the chunks.
absl::Status SqliteTransaction::DeleteSourceTask(int64_t source_key) {
  deletes_ = true;
  if (usages_.is_counted()) {
    Query query(writer_, "SELECT id, bytes FROM source_tasks WHERE key = ?");
    query.BindInteger(source_key);
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
    ProjectUsage share;
    if (found) share -= {.source_tasks = 1, .bytes = query.Integer(1)};
    if (found) usages_.Add(ProjectOfId(query.Bytes(0)), share);
  }
  int64_t chunk_count = 0;
  {
    Query query(writer_, "SELECT count(*) FROM source_chunks WHERE source_key = ?");
    SLIPSTREAM_RETURN_IF_ERROR(query.BindInteger(source_key).Run());
    chunk_count = query.Integer(0);
  }
  SLIPSTREAM_RETURN_IF_ERROR(source_purge_.Add(source_key, chunk_count));
  return Query(writer_, "DELETE FROM source_tasks WHERE key = ?")
      .BindInteger(source_key)
      .RunOnOneRow();
}

}  // namespace slipstream::sqlite
