#include "server/file/column_file.h"

#include <sys/stat.h>

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "server/file/regular_file.h"

namespace slipstream {
namespace {

// What some editors put before a text in UTF-8.
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool HasLines(absl::string_view text) {
  const absl::Status first_line =
      ForEachLine(text, [](const auto&) { return absl::AlreadyExistsError("a line"); });
  return !first_line.ok();
}

}  // namespace

absl::Status ForEachLine(
    absl::string_view text,
    absl::FunctionRef<absl::Status(const std::vector<absl::string_view>& columns)> take) {
  if (absl::StartsWith(text, kByteOrderMark)) {
    return absl::InvalidArgumentError(
        "line 1 begins with a byte order mark; save the file as UTF-8 without it");
  }
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    const absl::Status status =
        take(absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty()));
    if (status.ok()) continue;
    return absl::Status(status.code(), absl::StrCat("line ", number, ": ", status.message()));
  }
  return absl::OkStatus();
}

absl::Status CheckShortName(absl::string_view field, absl::string_view name) {
  bool sound = !name.empty() && name.size() <= kMostShortNameBytes &&
               absl::ascii_islower(name.front()) && name.back() != '-';
  for (const char c : name) {
    sound = sound && (absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-');
  }
  if (sound) return absl::OkStatus();
  return InvalidField(field, name,
                      absl::StrCat("1 to ", kMostShortNameBytes,
                                   " characters of a-z, 0-9 and '-', beginning with a letter and "
                                   "not ending with '-'"));
}

absl::StatusOr<std::string> ReadOwnersFile(absl::string_view kind, const std::string& path) {
  const std::string name = absl::StrCat(kind, " ", path);
  absl::StatusOr<RegularFile> file = ReadRegularFile(path);
  if (!file.ok()) {
    return absl::Status(file.status().code(),
                        absl::StrCat(name, " cannot be read: ", file.status().message()));
  }
  if ((file->mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, " can be written by users other than its owner: chmod go-w ", path));
  }
  // Half written, more likely than meant.
  if (HasLines(file->text)) return std::move(file->text);
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has no lines but empty ones and comments"));
}

}  // namespace slipstream
