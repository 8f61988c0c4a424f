// Names of resources as people type them, and in full.
#ifndef SLIPSTREAM_CLIENT_CLI_RESOURCE_NAME_H_
#define SLIPSTREAM_CLIENT_CLI_RESOURCE_NAME_H_

#include <string>

#include "absl/status/statusor.h"
#include "slipstream/client.h"

namespace slipstream::cli {

// "digits" or "studies/digits" to "studies/digits"; else a usage error.
absl::StatusOr<std::string> FullStudyName(const std::string& text);

// "digits/3" or "studies/digits/trials/3" to the latter; else a usage error.
absl::StatusOr<std::string> FullTrialName(const std::string& text);

// The study of a trial's full name.
std::string StudyOfTrial(const std::string& trial);

// 32 hexadecimal digits, or the first 6 or more of them, with or without
// "sourceTasks/", to the full name. Asks `client` only where digits are
// missing: NOT_FOUND if no source task begins so, INVALID_ARGUMENT if several
// do. A usage error for other texts.
absl::StatusOr<std::string> FullSourceTaskName(Client& client, const std::string& text);

// What people type: "digits", "digits/3", the first 12 digits of a source task.
std::string ShortStudyName(const std::string& name);
std::string ShortTrialName(const std::string& name);
std::string ShortSourceTaskName(const std::string& name);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_RESOURCE_NAME_H_
