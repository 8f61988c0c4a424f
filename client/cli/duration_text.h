// Durations as people type and read them.
#ifndef SLIPSTREAM_CLIENT_CLI_DURATION_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_DURATION_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace slipstream::cli {

// In its largest unit: "0 s", "59 s", "5 min", "3.5 h", "12 d"; a negative one is "-5 min".
std::string RoundDuration(absl::Duration duration);

// In all the units that it takes: "0 s", "1 min 30 s", "1 h 40 min", "2 d". Not negative.
std::string ExactDuration(absl::Duration duration);

// Accepts "90s", "30m", "1h", "2d", combinations such as "1h30m", and "off" for zero.
// `option` names it in the usage error for other texts.
absl::StatusOr<absl::Duration> ReadDuration(const std::string& option, const std::string& text);
// The same for what is repeated: neither "off" nor zero.
absl::StatusOr<absl::Duration> ReadInterval(const std::string& option, const std::string& text);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_DURATION_TEXT_H_
