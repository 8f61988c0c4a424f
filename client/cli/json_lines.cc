#include "client/cli/json_lines.h"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <stop_token>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "client/cli/interruption.h"
#include "client/cli/json_text.h"
#include "client/cli/status_macros.h"
#include "slipstream/errors.h"

namespace slipstream::cli {

namespace {

// Whether the line could be one of JSON, unlike those of a table or a program.
bool IsObject(absl::string_view line) {
  line = absl::StripPrefix(line, "\xEF\xBB\xBF");  // A byte order mark.
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "{");
}

}  // namespace

absl::StatusOr<std::unique_ptr<JsonLinesWriter>> JsonLinesWriter::Open(const std::string& path) {
  ASSIGN_OR_RETURN(auto file, OutputFile::Open(path));
  return std::unique_ptr<JsonLinesWriter>(new JsonLinesWriter(std::move(file)));
}

absl::Status JsonLinesWriter::Add(const google::protobuf::Message& line) {
  return file_->Write(StableJsonLine(line));
}

absl::Status WriteExport(const std::string& name, const std::string& output, Session& session,
                         const std::function<absl::Status(const AddLine& add)>& visit) {
  if (output == "-") {
    return visit([&](const google::protobuf::Message& line) {
      session.Print(StableJsonLine(line));
      return session.Flush();
    });
  }
  const Interruption interruption;
  ASSIGN_OR_RETURN(const auto file, JsonLinesWriter::Open(output));
  const std::stop_callback end(interruption.stop(), [&, partial = file->file().partial()] {
    unlink(partial.c_str());
    interruption.Finish();
  });
  RETURN_IF_ERROR(visit([&](const google::protobuf::Message& line) { return file->Add(line); }));
  RETURN_IF_ERROR(file->Publish());
  // Into a stream, the remark might follow the lines.
  if (!file->file().is_stream()) session.Remark(absl::StrCat("exported ", name, " to ", output));
  return absl::OkStatus();
}

absl::Status OfFile(const std::string& name, const absl::Status& status) {
  if (ViolationsOf(status).empty()) return status;
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
}

absl::StatusOr<std::unique_ptr<JsonLinesReader>> JsonLinesReader::Open(const std::string& path,
                                                                       size_t most) {
  if (path == "-") {
    return std::unique_ptr<JsonLinesReader>(
        new JsonLinesReader("standard input", &std::cin, nullptr, most));
  }
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::istream* const in = file.get();
  return std::unique_ptr<JsonLinesReader>(new JsonLinesReader(path, in, std::move(file), most));
}

JsonLinesReader::JsonLinesReader(std::string name, std::istream* in,
                                 std::unique_ptr<std::ifstream> file, size_t most)
    : name_(std::move(name)), file_(std::move(file)), in_(*in), most_(most) {}

absl::Status JsonLinesReader::Rewind() {
  const bool is_first = !std::exchange(begun_, true);
  line_ = 0;
  if (is_first) return absl::OkStatus();
  if (file_ == nullptr) {
    return absl::UnavailableError(
        "the call failed, and standard input cannot be read twice: import from a file");
  }
  in_.clear();
  in_.seekg(0);
  return in_ ? absl::OkStatus() : absl::UnavailableError("cannot read " + name_ + " again");
}

bool JsonLinesReader::ReadText() {
  text_.clear();
  char block[1 << 12];
  while (true) {
    in_.getline(block, sizeof(block));
    const auto count = static_cast<size_t>(in_.gcount());
    text_.append(block, count - (in_.good() ? 1 : 0));  // Without the line end.
    const bool goes_on = in_.fail() && count == sizeof(block) - 1;
    if (!goes_on) return !in_.bad() && (in_.good() || count > 0 || !text_.empty());
    in_.clear();
    if (text_.size() > most_) return true;
  }
}

absl::StatusOr<bool> JsonLinesReader::Next(google::protobuf::Message* line) {
  if (!ReadText()) {
    if (!in_.bad() && line_ > 0) return false;
    if (!in_.bad()) return absl::InvalidArgumentError(absl::StrCat(name_, " is empty"));
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", name_));
  }
  ++line_;
  const std::string place = absl::StrCat(name_, ":", line_, ": ");
  if (text_.size() > most_) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, "the line is too long: it has more than ", most_, " bytes"));
  }
  if (!IsObject(text_)) {
    return absl::InvalidArgumentError(
        absl::StrCat(place,
                     "the line is not a JSON object, and so not one that export has written; a CSV "
                     "file of results is registered by slipstream source register"));
  }
  const absl::Status parsed = ParseJson(text_, line);
  if (parsed.ok()) return true;
  return absl::InvalidArgumentError(absl::StrCat(place, parsed.message()));
}

bool JsonLinesReader::RefusedFirstLineIs(google::protobuf::Message* other) const {
  return line_ == 1 && ParseJson(text_, other).ok();
}

}  // namespace slipstream::cli
