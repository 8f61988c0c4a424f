#include "server/store/source_task_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

// How many of its studies a refusal to delete a source task names.
constexpr int kNamedStudies = 3;

// "sourceTasks/t is used by studies/s", or "... by 5 studies: studies/a, studies/b, studies/c and 2
// others". `studies` are the first of them.
absl::StatusOr<std::string> UseText(RowTransaction& rows, const std::string& id,
                                    const std::vector<std::string>& studies) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<SourceTaskRecord> task, rows.FindSourceTask(id));
  const auto named = static_cast<int64_t>(studies.size());
  const int64_t all = task.has_value() ? task->study_count : named;
  const std::string names = absl::StrJoin(studies, ", ", [](std::string* out, const auto& study) {
    out->append(NameOfStudy(study));
  });
  std::string text = absl::StrCat(NameOfSourceTask(id), " is used by ");
  if (all > 1) absl::StrAppend(&text, all, " studies: ");
  text += names;
  const int64_t others = all - named;
  if (others > 0) absl::StrAppend(&text, " and ", others, others == 1 ? " other" : " others");
  return text;
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
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<std::string> studies,
                              rows.FindStudiesUsing(key, kNamedStudies));
  if (!studies.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string use, UseText(rows, id, studies));
    return absl::FailedPreconditionError(use);
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
