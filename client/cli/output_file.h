// A file that takes its name only once it is whole, or a stream that takes what is written at once.
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
// the same time. A symbolic link is followed to its target. Where there is something other than a
// regular file, such as a device, a FIFO or /dev/fd/1, that is written to directly. Errors name the
// path that was given.
class OutputFile {
 public:
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path);
  // Takes away what was not published.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Whether readers see what is written before it is published.
  bool is_stream() const { return target_.empty(); }
  // The file that is written until it is published. Who ends the process before has to take it
  // away. Empty for a stream.
  const std::string& partial() const { return partial_; }

  absl::Status Write(std::string_view text);
  // Gives the file its name once the disk has it, in place of a file that has the name, whose mode
  // it takes. Of a stream, passes on the rest.
  absl::Status Publish();

 private:
  explicit OutputFile(const std::string& path) : path_(path) {}

  absl::Status Open();
  // Makes the file beside the target.
  absl::Status OpenBeside(std::string target);
  absl::Status OpenStream(int descriptor);
  absl::Status Failure() const;

  const std::string path_;
  std::string target_;  // What gets replaced; empty for a stream.
  std::string partial_;  // Empty before it is made and after it was published.
  std::FILE* file_ = nullptr;
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_OUTPUT_FILE_H_
