// Errors that scripts tell apart from others by the exit code: those in the arguments, as opposed
// to errors from the server or a file, and a study that has no further trials to give.
#ifndef SLIPSTREAM_CLIENT_CLI_USAGE_ERROR_H_
#define SLIPSTREAM_CLIENT_CLI_USAGE_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace slipstream::cli {

// INVALID_ARGUMENT with a payload by which IsUsageError recognises it.
absl::Status UsageError(const std::string& message);
bool IsUsageError(const absl::Status& status);

// `status` as a usage error with `prefix` before its message; OK stays OK.
absl::Status AsUsageError(const std::string& prefix, const absl::Status& status);

// `status`, an error, as one that says that a study gives no trials for now.
absl::Status AsNoMoreTrials(absl::Status status);

// The process's exit code: 0 for OK, 2 for a usage error, 3 for AsNoMoreTrials, 1 for other errors.
int ExitCode(const absl::Status& status);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_USAGE_ERROR_H_
