// Refusals that callers tell apart from others with the same code.
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_BASE_REFUSALS_H_
#define SLIPSTREAM_CORE_BASE_REFUSALS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace slipstream {

inline constexpr char kUsedUpUrl[] = "slipstream/used_up";
inline constexpr char kOtherOutcomeUrl[] = "slipstream/other_outcome";
inline constexpr char kTrialLimitUrl[] = "slipstream/trial_limit";
inline constexpr char kQuotaUrl[] = "slipstream/quota";
inline constexpr char kRetryDelayUrl[] = "slipstream/retry_delay";

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

// RESOURCE_EXHAUSTED as a study would have more trials than the server allows for one.
inline absl::Status TrialLimitError(absl::string_view message) {
  absl::Status status = absl::ResourceExhaustedError(message);
  status.SetPayload(kTrialLimitUrl, absl::Cord());
  return status;
}

// Whether `status` was made by TrialLimitError.
inline bool IsTrialLimit(const absl::Status& status) {
  return status.GetPayload(kTrialLimitUrl).has_value();
}

// `status`, which refuses what the quota of this name forbids.
inline absl::Status WithQuota(absl::Status status, absl::string_view quota) {
  status.SetPayload(kQuotaUrl, absl::Cord(quota));
  return status;
}

// The quota that WithQuota named.
inline std::optional<std::string> QuotaOf(const absl::Status& status) {
  const absl::optional<absl::Cord> quota = status.GetPayload(kQuotaUrl);
  if (!quota.has_value()) return std::nullopt;
  return std::string(*quota);
}

// `status`, an OverloadError, with the time for which its caller is to wait.
inline absl::Status WithRetryDelay(absl::Status status, absl::Duration delay) {
  status.SetPayload(kRetryDelayUrl, absl::Cord(absl::FormatDuration(delay)));
  return status;
}

// The delay of WithRetryDelay.
inline std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  const absl::optional<absl::Cord> text = status.GetPayload(kRetryDelayUrl);
  absl::Duration delay;
  if (!text.has_value() || !absl::ParseDuration(std::string(*text), &delay)) return std::nullopt;
  return delay;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_REFUSALS_H_
