// Studies and what they use, as rows. Reads need a snapshot or a transaction.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_ROWS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// NOT_FOUND.
absl::StatusOr<int64_t> ReadStudyKey(Connection& connection, const std::string& id);
// NOT_FOUND.
absl::StatusOr<StudyRecord> ReadStudy(Connection& connection, const std::string& id);
// Without definition. NOT_FOUND; `id` is for the message only.
absl::StatusOr<StudyRecord> ReadStudyHead(Connection& connection, int64_t key,
                                          const std::string& id);
absl::StatusOr<std::vector<StudyRecord>> ReadStudies(Connection& connection, int64_t after_key,
                                                     int limit);
// NOT_FOUND.
absl::StatusOr<std::string> ReadCandidates(Connection& connection, int64_t key);
absl::StatusOr<std::vector<std::string>> ReadStudySources(Connection& connection, int64_t key);

// Inserts all but the sources and gives `study` its key.
absl::Status InsertStudy(Connection& connection, const std::string& candidates,
                         StudyRecord& study);
absl::Status InsertStudySource(Connection& connection, int64_t study_key, int64_t position,
                               int64_t source_key);
// Writes what a change of a study can change.
absl::Status UpdateStudyHead(Connection& connection, const StudyRecord& study);
// Deletes all but the trials.
absl::Status DeleteStudyRows(Connection& connection, int64_t key);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_ROWS_H_
