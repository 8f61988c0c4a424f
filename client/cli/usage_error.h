// Errors in what was typed, told apart from what a server or a file refused.
#ifndef SLIPSTREAM_CLIENT_CLI_USAGE_ERROR_H_
#define SLIPSTREAM_CLIENT_CLI_USAGE_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace slipstream::cli {

// INVALID_ARGUMENT with a mark that IsUsageError finds.
absl::Status UsageError(const std::string& message);
bool IsUsageError(const absl::Status& status);

// `status` as a usage error with `prefix` before its message; OK stays OK.
absl::Status AsUsageError(const std::string& prefix, const absl::Status& status);

// What the process answers with: 0 for OK, 2 for a usage error, else 1.
int ExitCode(const absl::Status& status);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_USAGE_ERROR_H_
