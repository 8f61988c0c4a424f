// The file that says how much each project may take. A line has six columns, of which all but the
// first are a number or "-" for no limit:
//
//   # project  studies  trials  sources  mib   calls_per_second
//   vision     200      100000  50       4096  50
//   sandbox    10       1000    -        64    0.5
//   *          100      50000   20       1024  -
//
// "*" stands for each project that has no line of its own; without it these have no limits. Empty
// lines and those that begin with '#' are ignored. Pure functions, but for ReadQuotaFile.
#ifndef SLIPSTREAM_SERVER_QUOTA_QUOTA_FILE_H_
#define SLIPSTREAM_SERVER_QUOTA_QUOTA_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/quota/quotas.h"

namespace slipstream {

// The largest numbers that the file may give: of what is counted, and of MiB, whose bytes 64 bits
// can hold; and of calls a second.
inline constexpr int64_t kMostQuota = 1'000'000'000'000;
// With fewer, whoever is refused would be told to wait for more than eleven days.
inline constexpr double kLeastCallsPerSecond = 1e-6;
inline constexpr int64_t kMostCallsPerSecond = 1'000'000'000;

// INVALID_ARGUMENT naming the line and what is wrong with it.
absl::StatusOr<QuotaTable> ParseQuotaFile(absl::string_view text);

// NOT_FOUND or PERMISSION_DENIED if it cannot be read, FAILED_PRECONDITION if anyone but its owner
// can write it, INVALID_ARGUMENT as ParseQuotaFile; all name the file.
absl::StatusOr<QuotaTable> ReadQuotaFile(const std::string& path);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_QUOTA_QUOTA_FILE_H_
