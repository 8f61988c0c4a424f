// Files of exported studies: a line of JSON for each ExportLine.
#ifndef SLIPSTREAM_CLIENT_CLI_EXPORT_FILE_H_
#define SLIPSTREAM_CLIENT_CLI_EXPORT_FILE_H_

#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/output_file.h"
#include "slipstream/messages/export_reader.h"

namespace slipstream::cli {

// Writes lines to an OutputFile.
class ExportFileWriter {
 public:
  static absl::StatusOr<std::unique_ptr<ExportFileWriter>> Open(const std::string& path);

  bool is_stream() const { return file_->is_stream(); }
  absl::Status Add(const v1::ExportLine& line);
  // Gives the file its name, in place of one that has it.
  absl::Status Publish() { return file_->Publish(); }

 private:
  explicit ExportFileWriter(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  const std::unique_ptr<OutputFile> file_;
};

// Holds one line at a time. A line that is not JSON of an ExportLine is INVALID_ARGUMENT, with
// "FILE:LINE: " before the complaint.
class ExportFileReader final : public ExportReader {
 public:
  // `path` is "-" for standard input, which can be read once.
  static absl::StatusOr<std::unique_ptr<ExportFileReader>> Open(const std::string& path);

  absl::Status Rewind() override;
  absl::StatusOr<bool> Next(v1::ExportLine* line) override;

 private:
  ExportFileReader(std::string name, std::istream* in, std::unique_ptr<std::ifstream> file);

  const std::string name_;                     // For messages.
  const std::unique_ptr<std::ifstream> file_;  // Null for standard input.
  std::istream& in_;
  bool begun_ = false;
  int64_t line_ = 0;
  std::string text_;  // Reused from line to line.
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_EXPORT_FILE_H_
