#include "server/store/source_task_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
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

// So many bytes are stored in a few hundredths of a second; a chunk may have almost as many.
constexpr size_t kChunkBytesAtOnce = 8 << 20;

// The place after the chunks from `begin` on that one transaction takes, at least one.
size_t EndOfChunks(const std::vector<std::string>& chunks, size_t begin) {
  size_t bytes = 0;
  size_t end = begin;
  while (end < chunks.size()) {
    bytes += chunks[end].size();
    if (bytes > kChunkBytesAtOnce && end > begin) break;
    ++end;
  }
  return end;
}

absl::Status InsertChunks(RowTransaction& rows, const NewSourceTask& task, int64_t source_key,
                          size_t begin, size_t end) {
  return rows.InsertSourceChunks(source_key, static_cast<int64_t>(begin),
                                 absl::MakeConstSpan(task.chunks).subspan(begin, end - begin));
}

ProjectUsage ShareOfTask(const NewSourceTask& task) {
  return {.source_tasks = 1, .bytes = StoredBytesOf(task)};
}

// How many of its studies a refusal to delete a source task names, and among how many of the first
// ones it looks for these.
constexpr size_t kNamedStudies = 3;
constexpr int kStudiesLookedAt = 100;

// Those that the callers who may see the source task may see, too: the first of its own project.
std::vector<std::string> StudiesToName(const std::string& id, std::vector<std::string> studies) {
  const auto is_of_another = [&](const std::string& study) {
    return ProjectOfId(study) != ProjectOfId(id);
  };
  studies.erase(std::remove_if(studies.begin(), studies.end(), is_of_another), studies.end());
  if (studies.size() > kNamedStudies) studies.resize(kNamedStudies);
  return studies;
}

std::string UnnamedUsers(int64_t all) {
  if (all == 1) return "1 study of another project";
  return absl::StrCat(all, all > kStudiesLookedAt ? " studies" : " studies of other projects");
}

// "sourceTasks/t is used by studies/s", or "... by 5 studies: studies/a, studies/b, studies/c and 2
// others", or "... by 1 study of another project". `studies` are the first of them.
absl::StatusOr<std::string> UseText(RowTransaction& rows, const std::string& id,
                                    const std::vector<std::string>& studies) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<SourceTaskRecord> task, rows.FindSourceTask(id));
  const std::vector<std::string> named = StudiesToName(id, studies);
  const int64_t all =
      task.has_value() ? task->study_count : static_cast<int64_t>(studies.size());
  const std::string names = absl::StrJoin(named, ", ", [](std::string* out, const auto& study) {
    out->append(NameOfStudy(study));
  });
  std::string text = absl::StrCat(NameOfSourceTask(id), " is used by ");
  if (named.empty()) return absl::StrCat(text, UnnamedUsers(all));
  if (all > 1) absl::StrAppend(&text, all, " studies: ");
  text += names;
  const int64_t others = all - static_cast<int64_t>(named.size());
  if (others > 0) absl::StrAppend(&text, " and ", CountOf(others, "other"));
  return text;
}

}  // namespace

bool HasMore(const NewSourceTask& task, const SourceTaskPart& part) {
  return !task.validate_only && EndOfChunks(task.chunks, part.chunks) < task.chunks.size();
}

absl::StatusOr<SourceTaskPart> BeginSourceTask(RowTransaction& rows, const NewSourceTask& task,
                                               Quotas* quotas) {
  SourceTaskPart part;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> known, rows.FindSourceTaskKey(task.id));
  if (known.has_value()) return part;
  SLIPSTREAM_RETURN_IF_ERROR(CheckQuota(rows, quotas, task.id, ShareOfTask(task)));
  SLIPSTREAM_ASSIGN_OR_RETURN(part.source_key,
                              rows.BeginSourceTask(static_cast<int64_t>(task.chunks.size())));
  return part;
}

absl::StatusOr<SourceTaskPart> ContinueSourceTask(RowTransaction& rows, const NewSourceTask& task,
                                                  SourceTaskPart part) {
  const size_t end = EndOfChunks(task.chunks, part.chunks);
  SLIPSTREAM_RETURN_IF_ERROR(InsertChunks(rows, task, part.source_key, part.chunks, end));
  part.chunks = end;
  return part;
}

absl::StatusOr<RegisteredSourceTask> RegisterSourceTask(RowTransaction& rows,
                                                        const NewSourceTask& task, Quotas* quotas,
                                                        const SourceTaskPart& part) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<SourceTaskRecord> known, rows.FindSourceTask(task.id));
  if (known.has_value()) {
    if (part.source_key > 0) SLIPSTREAM_RETURN_IF_ERROR(rows.GiveUpSourceTask(part.source_key));
    return RegisteredSourceTask{*std::move(known), true};
  }
  SourceTaskRecord record;
  record.key = part.source_key;
  record.id = task.id;
  record.definition = task.definition;
  record.observation_count = task.observation_count;
  record.measured_count = task.measured_count;
  const ProjectUsage share = ShareOfTask(task);
  SLIPSTREAM_RETURN_IF_ERROR(CheckQuota(rows, quotas, task.id, share));
  if (task.validate_only) return RegisteredSourceTask{std::move(record), false};
  record.create_ms = rows.now_ms();
  SLIPSTREAM_ASSIGN_OR_RETURN(record.key, rows.InsertSourceTask(record, share.bytes));
  SLIPSTREAM_RETURN_IF_ERROR(
      InsertChunks(rows, task, record.key, part.chunks, task.chunks.size()));
  return RegisteredSourceTask{std::move(record), false};
}

absl::StatusOr<Unit> DeleteSourceTask(RowTransaction& rows, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, RequireSourceTask(rows, id));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<std::string> studies,
                              rows.FindStudiesUsing(key, kStudiesLookedAt));
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

absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(RowSnapshot& rows,
                                                              ListFilter filter) {
  filter.limit = std::max(filter.limit, 0);
  return rows.ListSourceTasks(filter);
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
