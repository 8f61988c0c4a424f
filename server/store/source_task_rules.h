// The rules of the verbs on source tasks. Status codes are those of store.h; a
// refusal has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_SOURCE_TASK_RULES_H_
#define SLIPSTREAM_SERVER_STORE_SOURCE_TASK_RULES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

// What is stored so far of a source task that takes several transactions.
struct SourceTaskPart {
  int64_t source_key = 0;  // 0: the task has not been begun.
  size_t chunks = 0;       // The first ones are stored.
};

// Whether more chunks are left than one transaction takes.
bool HasMore(const NewSourceTask& task, const SourceTaskPart& part);

// Begins nothing if the task is registered already.
absl::StatusOr<SourceTaskPart> BeginSourceTask(RowTransaction& rows, const NewSourceTask& task,
                                               Quotas* quotas = nullptr);
// Stores the next chunks, as many as one transaction takes.
absl::StatusOr<SourceTaskPart> ContinueSourceTask(RowTransaction& rows, const NewSourceTask& task,
                                                  SourceTaskPart part);
// Stores the task, and the chunks that are left. One that has not been begun is stored whole.
absl::StatusOr<RegisteredSourceTask> RegisterSourceTask(RowTransaction& rows,
                                                        const NewSourceTask& task,
                                                        Quotas* quotas = nullptr,
                                                        const SourceTaskPart& part = {});
absl::StatusOr<Unit> DeleteSourceTask(RowTransaction& rows, const std::string& id);

absl::StatusOr<SourceTaskRecord> GetSourceTask(RowSnapshot& rows, const std::string& id);
absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(RowSnapshot& rows,
                                                              ListFilter filter);
absl::StatusOr<std::vector<std::string>> GetSourceChunks(RowSnapshot& rows, const std::string& id);
absl::StatusOr<std::optional<std::string>> FindSourceChunk(RowSnapshot& rows, const std::string& id,
                                                           int64_t position);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_SOURCE_TASK_RULES_H_
