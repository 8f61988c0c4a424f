// Refusals that callers tell apart from others with the same code.
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_BASE_REFUSALS_H_
#define SLIPSTREAM_CORE_BASE_REFUSALS_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace slipstream {

inline constexpr char kUsedUpUrl[] = "slipstream/used_up";
inline constexpr char kOtherOutcomeUrl[] = "slipstream/other_outcome";

// FAILED_PRECONDITION as each candidate of a study's list has a trial.
inline absl::Status UsedUpError(absl::string_view message) {
  absl::Status status = absl::FailedPreconditionError(message);
  status.SetPayload(kUsedUpUrl, absl::Cord());
  return status;
}

// Whether `status` was made by UsedUpError.
inline bool IsUsedUp(const absl::Status& status) {
  return status.GetPayload(kUsedUpUrl).has_value();
}

// FAILED_PRECONDITION as the trial has another outcome already.
inline absl::Status OtherOutcomeError(absl::string_view message) {
  absl::Status status = absl::FailedPreconditionError(message);
  status.SetPayload(kOtherOutcomeUrl, absl::Cord());
  return status;
}

// Whether `status` was made by OtherOutcomeError.
inline bool IsOtherOutcome(const absl::Status& status) {
  return status.GetPayload(kOtherOutcomeUrl).has_value();
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_REFUSALS_H_
