// A file that takes its name only once it is whole.
#ifndef SLIPSTREAM_CLIENT_CLI_OUTPUT_FILE_H_
#define SLIPSTREAM_CLIENT_CLI_OUTPUT_FILE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream::cli {

// Writes to a file of its own beside the target, so that others may write to the same target at
// the same time. Errors name the target.
class OutputFile {
 public:
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path);
  // Takes away what was not published.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  absl::Status Write(std::string_view text);
  // Gives the file its name once the disk has it, in place of a file that has the name, whose mode
  // it takes.
  absl::Status Publish();

 private:
  explicit OutputFile(const std::string& path) : path_(path) {}

  // Makes the file beside the target.
  absl::Status OpenBeside();
  absl::Status OpenStream(int descriptor);
  absl::Status Failure() const;

  const std::string path_;
  std::string partial_;  // Empty before it is made and after it was published.
  std::FILE* file_ = nullptr;
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_OUTPUT_FILE_H_
