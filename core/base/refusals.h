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

// What is wrong, where a code alone does not say it.
struct RefusalMark {
  absl::StatusCode code;
  const char* url;  // Of the status's payload.
};
// Each candidate of a study's list has a trial.
inline constexpr RefusalMark kCandidatesUsedUp = {absl::StatusCode::kFailedPrecondition,
                                                  "slipstream/used_up"};
// The trial has another outcome already.
inline constexpr RefusalMark kOtherOutcome = {absl::StatusCode::kFailedPrecondition,
                                              "slipstream/other_outcome"};
// A study would have more trials than the server allows for one.
inline constexpr RefusalMark kTrialLimitReached = {absl::StatusCode::kResourceExhausted,
                                                   "slipstream/trial_limit"};

inline absl::Status MarkedError(const RefusalMark& mark, absl::string_view message) {
  absl::Status status(mark.code, message);
  status.SetPayload(mark.url, absl::Cord());
  return status;
}

// Whether `status` was made by MarkedError with this mark.
inline bool HasMark(const absl::Status& status, const RefusalMark& mark) {
  return status.GetPayload(mark.url).has_value();
}

inline constexpr char kQuotaUrl[] = "slipstream/quota";
inline constexpr char kRetryDelayUrl[] = "slipstream/retry_delay";

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
