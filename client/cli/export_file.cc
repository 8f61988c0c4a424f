#include "client/cli/export_file.h"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/json_text.h"

namespace slipstream::cli {

absl::StatusOr<std::unique_ptr<ExportFileWriter>> ExportFileWriter::Open(const std::string& path) {
  auto writer = std::unique_ptr<ExportFileWriter>(new ExportFileWriter(path));
  if (!writer->out_) return writer->Failure();
  return writer;
}

ExportFileWriter::ExportFileWriter(const std::string& path)
    : path_(path),
      partial_(absl::StrCat(path, ".partial")),
      out_(partial_, std::ios::binary | std::ios::trunc) {}

ExportFileWriter::~ExportFileWriter() {
  if (!out_.is_open()) return;
  out_.close();
  std::remove(partial_.c_str());
}

absl::Status ExportFileWriter::Failure() const {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path_));
}

absl::Status ExportFileWriter::Add(const v1::ExportLine& line) {
  out_ << StableJsonLine(line);
  return out_ ? absl::OkStatus() : Failure();
}

absl::Status ExportFileWriter::Publish() {
  out_.close();
  const bool is_whole = static_cast<bool>(out_);
  if (is_whole && std::rename(partial_.c_str(), path_.c_str()) == 0) return absl::OkStatus();
  const absl::Status failure = Failure();
  std::remove(partial_.c_str());
  return failure;
}

absl::StatusOr<std::unique_ptr<ExportFileReader>> ExportFileReader::Open(const std::string& path) {
  if (path == "-") {
    return std::unique_ptr<ExportFileReader>(
        new ExportFileReader("standard input", &std::cin, nullptr));
  }
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::istream* const in = file.get();
  return std::unique_ptr<ExportFileReader>(new ExportFileReader(path, in, std::move(file)));
}

ExportFileReader::ExportFileReader(std::string name, std::istream* in,
                                   std::unique_ptr<std::ifstream> file)
    : name_(std::move(name)), file_(std::move(file)), in_(*in) {}

absl::Status ExportFileReader::Rewind() {
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

absl::StatusOr<bool> ExportFileReader::Next(v1::ExportLine* line) {
  if (!std::getline(in_, text_)) {
    if (!in_.bad()) return false;
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", name_));
  }
  ++line_;
  const absl::Status parsed = ParseJson(text_, line);
  if (parsed.ok()) return true;
  return absl::InvalidArgumentError(absl::StrCat(name_, ":", line_, ": ", parsed.message()));
}

}  // namespace slipstream::cli
