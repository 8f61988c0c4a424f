// The rules of planning and granting leases. Status codes are those of store.h;
// a refusal has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_LEASE_RULES_H_
#define SLIPSTREAM_SERVER_STORE_LEASE_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

// Carries out the whole batch. `max_trials` is the most that the study may have.
absl::Status LeaseTrials(RowTransaction& rows, const LeaseBatch& batch, int64_t max_trials,
                         Quotas* quotas = nullptr);

// Plans and carries out one worker's leases; returns its trials, new ones last.
absl::StatusOr<std::vector<TrialRecord>> LeasePrepared(RowTransaction& rows,
                                                       const PreparedLease& lease,
                                                       int64_t max_trials,
                                                       Quotas* quotas = nullptr);

absl::StatusOr<LeasePlan> PlanLeases(RowSnapshot& rows, int64_t study_key,
                                     const std::string& study_id,
                                     const std::vector<std::string>& workers, int max_queued);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_LEASE_RULES_H_
