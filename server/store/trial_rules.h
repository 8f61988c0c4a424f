// The rules of the verbs on trials, except for leases. Status codes are those of
// store.h; a refusal has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_TRIAL_RULES_H_
#define SLIPSTREAM_SERVER_STORE_TRIAL_RULES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

absl::StatusOr<TrialRecord> ObserveTrial(RowTransaction& rows, const Observe& observe);
// `max_trials` is the most that the study may have.
absl::StatusOr<std::vector<TrialRecord>> AddTrials(RowTransaction& rows, const Addition& addition,
                                                   int64_t max_trials, Quotas* quotas = nullptr);

absl::StatusOr<TrialRecord> GetTrial(RowSnapshot& rows, const std::string& study_id,
                                     int64_t number);
absl::StatusOr<ExplainedTrial> GetExplainedTrial(RowSnapshot& rows, const std::string& study_id,
                                                 int64_t number);
absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(RowSnapshot& rows,
                                                             const StudyRef& study,
                                                             int64_t after_number,
                                                             int64_t last_number);
absl::StatusOr<std::vector<TrialRecord>> GetTrials(RowSnapshot& rows, const StudyRef& study,
                                                   const std::vector<int64_t>& numbers);
absl::StatusOr<std::vector<TrialRecord>> ListTrials(RowSnapshot& rows, const StudyRef& study,
                                                    TrialFilter filter);
absl::StatusOr<std::vector<TrialRecord>> BestTrials(RowSnapshot& rows, const StudyRef& study,
                                                    bool maximize, int limit);

// Shared with the other rules. NOT_FOUND, also if the trial was not created at `create_ms`.
absl::StatusOr<TrialRecord> RequireTrial(Rows& rows, const std::string& study_id, int64_t study_key,
                                         int64_t number,
                                         std::optional<int64_t> create_ms = std::nullopt);
// NOT_FOUND, also if another study has the id.
absl::StatusOr<int64_t> RequireStudyKey(RowSnapshot& rows, const StudyRef& study);

// RESOURCE_EXHAUSTED if `more` trials would take the study above `max_trials`.
absl::Status CheckRoomForTrials(const std::string& study_id, const StudyHead& head, size_t more,
                                int64_t max_trials);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_TRIAL_RULES_H_
