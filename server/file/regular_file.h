// Reads a file that a person names, which may turn out to be anything.
#ifndef SLIPSTREAM_SERVER_FILE_REGULAR_FILE_H_
#define SLIPSTREAM_SERVER_FILE_REGULAR_FILE_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/statusor.h"

namespace slipstream {

struct RegularFile {
  std::string text;
  mode_t mode = 0;
};

// Never waits for a writer, as opening a pipe would. FAILED_PRECONDITION if it is a folder, a pipe
// or a device; NOT_FOUND, PERMISSION_DENIED or another code of a failed system call. The message is
// the reason alone.
absl::StatusOr<RegularFile> ReadRegularFile(const std::string& path);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_FILE_REGULAR_FILE_H_
