#include "server/store/store_options.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {

absl::Status CheckOptionRange(absl::string_view option, int64_t value, int64_t least,
                              int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return InvalidField(option, absl::StrCat(value), absl::StrCat(least, " to ", most));
}

absl::Status CheckStoreOptions(const StoreOptions& options, int64_t most_trials) {
  if (!options.now_ms) return InvalidField("now_ms", "empty", "a function");
  if (!options.steady_now) return InvalidField("steady_now", "empty", "a function");
  if (options.retention < absl::Milliseconds(1) || options.retention > absl::Hours(24 * 3660)) {
    return InvalidField("retention", absl::FormatDuration(options.retention),
                        "1 millisecond to 10 years");
  }
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckOptionRange("max_waiting_writes", static_cast<int64_t>(options.max_waiting_writes), 1,
                       100000000));
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckOptionRange("max_writes_per_commit",
                       static_cast<int64_t>(options.max_writes_per_commit), 1, 1000000));
  return CheckOptionRange("max_trials_per_study", options.max_trials_per_study, 1, most_trials);
}

}  // namespace slipstream
