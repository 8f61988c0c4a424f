// The rows of source tasks and their observations. Reads need a snapshot or a
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

absl::StatusOr<std::optional<SourceTaskRecord>> ReadSourceTask(Connection& connection,
                                                               const std::string& id);
absl::StatusOr<std::optional<int64_t>> ReadSourceTaskKey(Connection& connection,
                                                         const std::string& id);
absl::StatusOr<std::vector<SourceTaskRecord>> ReadSourceTasks(Connection& connection,
                                                              int64_t after_key, int limit);
// In order.
absl::StatusOr<std::vector<std::string>> ReadSourceChunks(Connection& connection, int64_t key);
// The id of one study that uses the source task.
absl::StatusOr<std::optional<std::string>> ReadStudyUsing(Connection& connection, int64_t key);

// Returns the key.
absl::StatusOr<int64_t> InsertSourceTask(Connection& connection, const SourceTaskRecord& record,
                                         const std::vector<std::string>& chunks);
absl::Status DeleteSourceTaskRows(Connection& connection, int64_t key);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SOURCE_ROWS_H_
