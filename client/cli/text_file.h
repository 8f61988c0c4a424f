// Reads whole files as text.
#ifndef SLIPSTREAM_CLIENT_CLI_TEXT_FILE_H_
#define SLIPSTREAM_CLIENT_CLI_TEXT_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace slipstream::cli {

// The largest text that may be meant for a server: its messages have at most 256 MiB, which JSON
// makes a few times as long.
inline constexpr size_t kMostTextBytes = size_t{1} << 30;

// The content of the file, or of standard input for "-". NOT_FOUND, PERMISSION_DENIED or whatever
// code fits the system's error, and INVALID_ARGUMENT if there are more than `most` bytes; the
// message names the path.
absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t most = kMostTextBytes);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TEXT_FILE_H_
