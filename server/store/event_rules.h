// Appends the events that watchers see. Each change does so in its own transaction,
// so that there is an event for every change that was committed and for no other. A
// bounded number of events is kept.
#ifndef SLIPSTREAM_SERVER_STORE_EVENT_RULES_H_
#define SLIPSTREAM_SERVER_STORE_EVENT_RULES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "server/store/rows.h"

namespace slipstream::rules {

// At least this many of the latest events are kept.
inline constexpr int64_t kKeptEvents = 100'000;

absl::Status EmitStudyEvent(RowTransaction& rows, EventKind kind, int64_t study_key,
                            const std::string& study_id = {});
// The study has changed, and is in this state now.
absl::Status EmitStudyChange(RowTransaction& rows, const StudyRecord& study);
absl::Status EmitTrialEvent(RowTransaction& rows, EventKind kind, int64_t study_key,
                            const TrialRecord& trial);

// Once `trial` has its outcome: reports that, and whether it is the new incumbent,
// which it also notes in `head`. `maximize` is the study's goal.
absl::Status EmitOutcome(RowTransaction& rows, bool maximize, const TrialRecord& trial,
                         StudyHead& head);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_EVENT_RULES_H_
