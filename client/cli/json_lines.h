// Files of messages, each a line of JSON: exported studies and source tasks.
#ifndef SLIPSTREAM_CLIENT_CLI_JSON_LINES_H_
#define SLIPSTREAM_CLIENT_CLI_JSON_LINES_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/output_file.h"
#include "client/cli/session.h"
#include "client/cli/text_file.h"
#include "google/protobuf/message.h"

namespace slipstream::cli {

// Writes lines to an OutputFile.
class JsonLinesWriter {
 public:
  static absl::StatusOr<std::unique_ptr<JsonLinesWriter>> Open(const std::string& path);

  const OutputFile& file() const { return *file_; }
  absl::Status Add(const google::protobuf::Message& line);
  // Gives the file its name, in place of one that has it.
  absl::Status Publish() { return file_->Publish(); }

 private:
  explicit JsonLinesWriter(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  const std::unique_ptr<OutputFile> file_;
};

// Takes a line of an export.
using AddLine = std::function<absl::Status(const google::protobuf::Message& line)>;

// Writes what `visit` passes to the function that it is given, until that fails: to standard output
// if `output` is "-", otherwise to that file, and then says that `name` was exported. A process
// that is interrupted meanwhile leaves no part of the file behind.
absl::Status WriteExport(const std::string& name, const std::string& output, Session& session,
                         const std::function<absl::Status(const AddLine& add)>& visit);

// `status`, with the file's name before its message if the server refuses something in its lines.
absl::Status OfFile(const std::string& name, const absl::Status& status);

// Holds one line at a time.
class JsonLinesReader {
 public:
  // `path` is "-" for standard input, which can be read once. A line has at most `most` bytes.
  static absl::StatusOr<std::unique_ptr<JsonLinesReader>> Open(const std::string& path,
                                                               size_t most = kMostTextBytes);

  // What messages call the file.
  const std::string& name() const { return name_; }

  // Goes back to the first line. Also called before the first Next.
  absl::Status Rewind();
  // Fills `line`, which is empty, with the next one and returns true, or returns false after the
  // last one. INVALID_ARGUMENT for a file without a line, and for a line that is too long or not
  // JSON of such a message, with "FILE:LINE: " before the complaint.
  absl::StatusOr<bool> Next(google::protobuf::Message* line);
  // Whether the first line, which Next refused, is JSON of a message like `other` instead.
  bool RefusedFirstLineIs(google::protobuf::Message* other) const;

 private:
  JsonLinesReader(std::string name, std::istream* in, std::unique_ptr<std::ifstream> file,
                  size_t most);

  // Reads the next line into text_, or the beginning of one that is too long. False if there is
  // none.
  bool ReadText();

  const std::string name_;
  const std::unique_ptr<std::ifstream> file_;  // Null for standard input.
  std::istream& in_;
  const size_t most_;
  bool begun_ = false;
  int64_t line_ = 0;
  std::string text_;  // Reused from line to line.
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_JSON_LINES_H_
