// The rules of what happens to a trial between its lease and its outcome: leases
// are renewed, given back or run out, and a configuration whose worker went
// silent is queued again. Status codes are those of store.h; a refusal has written
// nothing.
//
// Trials of one configuration form a chain: a trial whose lease ran out, the one
// that repeats it, and so on. A chain has its result once one of its trials has
// ended, unless that one FAILED; nothing of it is queued after that. Nor is anything queued in a
// study that is COMPLETED, as nobody would ever try it.
#ifndef SLIPSTREAM_SERVER_STORE_HOLDING_RULES_H_
#define SLIPSTREAM_SERVER_STORE_HOLDING_RULES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

absl::StatusOr<Heartbeats> Heartbeat(RowTransaction& rows, const HeldTrials& held);
absl::StatusOr<std::vector<TrialRecord>> ReleaseTrials(RowTransaction& rows,
                                                       const HeldTrials& held);

// Whether the trial's outcome makes further trials of its configuration needless.
bool GivesResult(const TrialRecord& trial);
// Queues a trial that its worker gives back again, without its reports, or withdraws it if its
// study is COMPLETED or a trial of its chain, `result`, gave a result (0: none did).
void TakeBack(StudyState study, int64_t result, int64_t now_ms, TrialRecord& trial);

// Ends at most `most` leases that have run out. `max_trials` is the most that a
// study may have.
absl::StatusOr<LeaseSweep> SweepLeases(RowTransaction& rows, int most, int64_t max_trials);
// Whether SweepLeases has anything to do.
absl::StatusOr<bool> LeasesNeedSweep(RowSnapshot& rows, int64_t now_ms);

// After `trial`, which was STALE, has got its outcome: withdraws the trial that
// repeats it if that is still queued.
// Changes the bytes of `head`, which are left to be written.
absl::Status WithdrawRepeat(RowTransaction& rows, const TrialRecord& trial, StudyHead& head);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_HOLDING_RULES_H_
