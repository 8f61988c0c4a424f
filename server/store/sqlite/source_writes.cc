#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/resource_message.h"
#include "server/store/sqlite/source_rows.h"
#include "server/store/sqlite/write_verbs.h"

namespace slipstream::sqlite {

absl::StatusOr<RegisteredSourceTask> RegisterSourceTask(WriteSession& session,
                                                        const NewSourceTask& task) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<SourceTaskRecord> known,
                              ReadSourceTask(session.connection, task.id));
  if (known.has_value()) return RegisteredSourceTask{*std::move(known), true};
  SourceTaskRecord record;
  record.id = task.id;
  record.definition = task.definition;
  record.observation_count = task.observation_count;
  record.measured_count = task.measured_count;
  record.create_ms = session.now_ms;
  SLIPSTREAM_RETURN_IF_ERROR(InsertSourceTask(session.connection, task.chunks, record));
  return RegisteredSourceTask{std::move(record), false};
}

absl::StatusOr<Unit> DeleteSourceTask(WriteSession& session, const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<SourceTaskRecord> task,
                              ReadSourceTask(session.connection, id));
  if (!task.has_value()) return SourceTaskNotFound(id);
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> user,
                              ReadOneUser(session.connection, task->key));
  if (user.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfSourceTask(id), " is used by ", NameOfStudy(*user)));
  }
  SLIPSTREAM_RETURN_IF_ERROR(DeleteSourceTaskRows(session.connection, task->key));
  return Unit{};
}

}  // namespace slipstream::sqlite
