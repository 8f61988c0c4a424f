// The rows of studies and of the source tasks that they use. Reads need a
// snapshot or a transaction.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_ROWS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

absl::StatusOr<std::optional<int64_t>> ReadStudyKey(Connection& connection, const std::string& id);
absl::StatusOr<std::optional<StudyRecord>> ReadStudy(Connection& connection,
                                                     const std::string& id);
// Without definition.
absl::StatusOr<std::optional<StudyRecord>> ReadStudySummary(Connection& connection, int64_t key);
absl::StatusOr<std::vector<StudyRecord>> ReadStudies(Connection& connection, int64_t after_key,
                                                     int limit);
absl::StatusOr<std::optional<std::string>> ReadCandidates(Connection& connection, int64_t key);
absl::StatusOr<std::vector<std::string>> ReadStudySources(Connection& connection, int64_t key);

// Inserts all but the sources; returns the key.
absl::StatusOr<int64_t> InsertStudy(Connection& connection, const StudyRecord& study,
                                    const std::string& candidates);
absl::Status InsertStudySources(Connection& connection, int64_t study_key,
                                const std::vector<int64_t>& source_keys);
// Writes all that can change of a study, but its counts.
absl::Status UpdateStudyHead(Connection& connection, const StudyRecord& study);
// Deletes all but the trials.
absl::Status DeleteStudyRows(Connection& connection, int64_t key);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_ROWS_H_
