// Reads whole files as text.
#ifndef SLIPSTREAM_CLIENT_CLI_TEXT_FILE_H_
#define SLIPSTREAM_CLIENT_CLI_TEXT_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace slipstream::cli {

// The content of the file, or of standard input for "-". NOT_FOUND,
// PERMISSION_DENIED or whatever code fits the system's error; the message names
// the path.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TEXT_FILE_H_
