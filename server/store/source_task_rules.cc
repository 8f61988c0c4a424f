#include "server/store/source_task_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/quota_rules.h"
#include "server/store/resource_message.h"

namespace slipstream::rules {
namespace {

absl::StatusOr<int64_t> RequireSourceTask(Rows& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> key, rows.FindSourceTaskKey(id));
  if (!key.has_value()) return SourceTaskNotFound(id);
  return *key;
}

}  // namespace

absl::StatusOr<RegisteredSourceTask> RegisterSourceTask(RowTransaction& rows,
                                                        const NewSourceTask& task, Quotas* quotas) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<SourceTaskRecord> known, rows.FindSourceTask(task.id));
  if (known.has_value()) return RegisteredSourceTask{*std::move(known), true};
  SourceTaskRecord record;
  record.id = task.id;
  record.definition = task.definition;
  record.observation_count = task.observation_count;
  record.measured_count = task.measured_count;
  record.create_ms = rows.now_ms();
  const int64_t bytes = StoredBytesOf(task);
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckQuota(rows, quotas, task.id, {.source_tasks = 1, .bytes = bytes}));
  SLIPSTREAM_ASSIGN_OR_RETURN(record.key, rows.InsertSourceTask(record, task.chunks, bytes));
  return RegisteredSourceTask{std::move(record), false};
}

absl::StatusOr<Unit> DeleteSourceTask(RowTransaction& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireSourceTask(rows, id));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> user, rows.FindStudyUsing(key));
  if (user.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfSourceTask(id), " is used by ", NameOfStudy(*user)));
  }
  SLIPSTREAM_RETURN_IF_ERROR(rows.DeleteSourceTask(key));
  return Unit{};
}

absl::StatusOr<SourceTaskRecord> GetSourceTask(RowSnapshot& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<SourceTaskRecord> task, rows.FindSourceTask(id));
  if (!task.has_value()) return SourceTaskNotFound(id);
  return *std::move(task);
}

absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(RowSnapshot& rows, int64_t after_key,
                                                              int limit) {
  return rows.ListSourceTasks(after_key, std::max(limit, 0));
}

absl::StatusOr<std::vector<std::string>> GetSourceChunks(RowSnapshot& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireSourceTask(rows, id));
  return rows.ListSourceChunks(key);
}

absl::StatusOr<std::optional<std::string>> FindSourceChunk(RowSnapshot& rows, const std::string& id,
                                                           int64_t position) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireSourceTask(rows, id));
  return rows.FindSourceChunk(key, position);
}

}  // namespace slipstream::rules
