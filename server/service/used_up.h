// The refusal of a study whose candidate list is used up.
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_SERVER_SERVICE_USED_UP_H_
#define SLIPSTREAM_SERVER_SERVICE_USED_UP_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace slipstream {

inline constexpr char kUsedUpUrl[] = "slipstream/used_up";

// FAILED_PRECONDITION as each candidate has a trial.
inline absl::Status UsedUpError(absl::string_view message) {
  absl::Status status = absl::FailedPreconditionError(message);
  status.SetPayload(kUsedUpUrl, absl::Cord());
  return status;
}

// Whether `status` was made by UsedUpError.
inline bool IsUsedUp(const absl::Status& status) {
  return status.GetPayload(kUsedUpUrl).has_value();
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_USED_UP_H_
