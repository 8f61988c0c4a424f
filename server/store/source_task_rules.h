// The rules of the verbs on source tasks. Status codes are those of store.h; a
// refusal has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_SOURCE_TASK_RULES_H_
#define SLIPSTREAM_SERVER_STORE_SOURCE_TASK_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

absl::StatusOr<RegisteredSourceTask> RegisterSourceTask(RowTransaction& rows,
                                                        const NewSourceTask& task,
                                                        Quotas* quotas = nullptr);
absl::StatusOr<Unit> DeleteSourceTask(RowTransaction& rows, const std::string& id);

absl::StatusOr<SourceTaskRecord> GetSourceTask(RowSnapshot& rows, const std::string& id);
absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(RowSnapshot& rows,
                                                              ListFilter filter);
absl::StatusOr<std::vector<std::string>> GetSourceChunks(RowSnapshot& rows, const std::string& id);
absl::StatusOr<std::optional<std::string>> FindSourceChunk(RowSnapshot& rows, const std::string& id,
                                                           int64_t position);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_SOURCE_TASK_RULES_H_
