// The rows of trials and their provenances. Reads need a snapshot or a
// transaction, writes a transaction.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_TRIAL_ROWS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_TRIAL_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

absl::StatusOr<std::optional<TrialRecord>> ReadTrial(Connection& connection, int64_t study_key,
                                                     int64_t number);
// Provenances of the trials in (after_number, last_number], by number.
absl::StatusOr<std::vector<TrialProvenance>> ReadProvenances(Connection& connection,
                                                             int64_t study_key,
                                                             int64_t after_number,
                                                             int64_t last_number);
// By number.
absl::StatusOr<std::vector<TrialRecord>> ReadTrials(Connection& connection, int64_t study_key,
                                                    const TrialFilter& filter);
absl::StatusOr<std::vector<TrialRecord>> ReadBestTrials(Connection& connection, int64_t study_key,
                                                        bool maximize, int limit);
// Numbers of the ACTIVE trials of `worker`, ascending.
absl::StatusOr<std::vector<int64_t>> ReadActiveTrials(Connection& connection, int64_t study_key,
                                                      const std::string& worker);
// Numbers of the oldest REQUESTED trials, ascending.
absl::StatusOr<std::vector<int64_t>> ReadQueuedTrials(Connection& connection, int64_t study_key,
                                                      int limit);

absl::Status InsertTrial(Connection& connection, int64_t study_key, const TrialRecord& trial,
                         const std::string& provenance);
// Writes the columns that a lease changes.
absl::Status UpdateLease(Connection& connection, int64_t study_key, const TrialRecord& trial);
// Writes the columns that an outcome changes.
absl::Status UpdateOutcome(Connection& connection, int64_t study_key, const TrialRecord& trial);
// Deletes trials first to last.
absl::Status DeleteTrials(Connection& connection, int64_t study_key, int64_t first, int64_t last);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_TRIAL_ROWS_H_
