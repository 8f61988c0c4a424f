// The writes of the store's interface, each to be run in a transaction of
// `session`. They look before they write: a refusal leaves nothing behind.
// Status codes are those of the interface.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_VERBS_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_VERBS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/write_queue.h"
#include "server/store/sqlite/write_session.h"
#include "server/store/store.h"

namespace slipstream::sqlite {

absl::StatusOr<StudyRecord> CreateStudy(WriteSession& session, const NewStudy& study);
absl::StatusOr<StudyRecord> UpdateStudy(WriteSession& session, const std::string& id,
                                        const StudyChange& change);
absl::StatusOr<Unit> DeleteStudy(WriteSession& session, const std::string& id);

absl::StatusOr<TrialRecord> ObserveTrial(WriteSession& session, const Observe& observe);
absl::StatusOr<std::vector<TrialRecord>> AddTrials(WriteSession& session,
                                                   const std::string& study_id,
                                                   const std::vector<NewTrial>& trials);

absl::StatusOr<RegisteredSourceTask> RegisterSourceTask(WriteSession& session,
                                                        const NewSourceTask& task);
absl::StatusOr<Unit> DeleteSourceTask(WriteSession& session, const std::string& id);

// A batch of leases has guards of its own.
std::unique_ptr<PendingWrite> MakeLeaseWrite(LeaseBatch batch);

// Shared by the verbs that make trials.
// RESOURCE_EXHAUSTED if the study would have too many.
absl::Status CheckRoomForTrials(const WriteSession& session, const StudyHead& head, size_t more);
// INVALID_ARGUMENT if the state is not one that ends a trial, or a success has
// no number.
absl::Status CheckOutcome(const TrialOutcome& outcome);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_VERBS_H_
