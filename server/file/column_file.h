// Files of lines with columns separated by spaces. Empty lines and those that begin with '#' are
// ignored. Free functions without state.
#ifndef SLIPSTREAM_SERVER_FILE_COLUMN_FILE_H_
#define SLIPSTREAM_SERVER_FILE_COLUMN_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// Calls `take` with the columns of each line, at least one, and returns its first
// error with the line's number before the message. INVALID_ARGUMENT if the text begins with a byte
// order mark.
absl::Status ForEachLine(
    absl::string_view text,
    absl::FunctionRef<absl::Status(const std::vector<absl::string_view>& columns)> take);

// Names of callers and of projects.
inline constexpr size_t kMostShortNameBytes = 40;

// INVALID_ARGUMENT unless `name` may be that of a caller or a project: 1 to kMostShortNameBytes
// characters of a-z, 0-9 and '-', beginning with a letter and not ending with '-'.
absl::Status CheckShortName(absl::string_view field, absl::string_view name);

// The text of a file that grants permissions; `kind` is what messages call it, such as "the
// token file". Never blocks. NOT_FOUND or PERMISSION_DENIED if it cannot be read,
// FAILED_PRECONDITION if it is a folder, a pipe or a device, or anyone but its owner can write it,
// INVALID_ARGUMENT if it has no lines but empty ones and comments.
absl::StatusOr<std::string> ReadOwnersFile(absl::string_view kind, const std::string& path);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_FILE_COLUMN_FILE_H_
