// Source tasks and their observations as rows. Reads need a snapshot or a
// transaction.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_ROWS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// Absent if there is no such source task.
absl::StatusOr<std::optional<SourceTaskRecord>> ReadSourceTask(Connection& connection,
                                                               const std::string& id);
absl::StatusOr<std::vector<SourceTaskRecord>> ReadSourceTasks(Connection& connection,
                                                              int64_t after_key, int limit);
// In order. NOT_FOUND.
absl::StatusOr<std::vector<std::string>> ReadSourceChunks(Connection& connection,
                                                          const std::string& id);
// The id of one study that uses the source task, absent if none does.
absl::StatusOr<std::optional<std::string>> ReadOneUser(Connection& connection, int64_t key);

// Gives `record` its key.
absl::Status InsertSourceTask(Connection& connection, const std::vector<std::string>& chunks,
                              SourceTaskRecord& record);
absl::Status DeleteSourceTaskRows(Connection& connection, int64_t key);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_ROWS_H_
