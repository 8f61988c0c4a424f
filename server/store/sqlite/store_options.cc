#include "server/store/sqlite/store_options.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/schema.h"

namespace slipstream::sqlite {
namespace {

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return InvalidField(field, absl::StrCat(value), absl::StrCat(least, " to ", most));
}

}  // namespace

absl::Status CheckOptions(const SqliteStoreOptions& options) {
  if (options.path.empty()) return InvalidField("path", "\"\"", "the path of a file");
  if (options.retention < absl::Milliseconds(1) || options.retention > absl::Hours(24 * 3660)) {
    return InvalidField("retention", absl::FormatDuration(options.retention),
                        "1 millisecond to 10 years");
  }
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckRange("max_waiting_writes", static_cast<int64_t>(options.max_waiting_writes), 1,
                 100000000));
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckRange("max_writes_per_commit", static_cast<int64_t>(options.max_writes_per_commit), 1,
                 1000000));
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckRange("max_trials_per_study", options.max_trials_per_study, 1, kMaxTrialNumber));
  SLIPSTREAM_RETURN_IF_ERROR(CheckRange("readers", options.readers, 1, 1024));
  SLIPSTREAM_RETURN_IF_ERROR(
      CheckRange("writer_cache_kib", options.writer_cache_kib, 64, 64 << 20));
  return CheckRange("reader_cache_kib", options.reader_cache_kib, 64, 64 << 20);
}

}  // namespace slipstream::sqlite
