#include "server/file/column_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr size_t kMostNameBytes = 40;

}  // namespace

absl::Status ForEachLine(
    absl::string_view text,
    absl::FunctionRef<absl::Status(const std::vector<absl::string_view>& columns)> take) {
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
  bool sound = !name.empty() && name.size() <= kMostNameBytes &&
               absl::ascii_islower(name.front()) && name.back() != '-';
  for (const char c : name) {
    sound = sound && (absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-');
  }
  if (sound) return absl::OkStatus();
  return InvalidField(field, name,
                      "1 to 40 characters of a-z, 0-9 and '-', beginning with a letter and not "
                      "ending with '-'");
}

absl::StatusOr<std::string> ReadOwnersFile(absl::string_view kind, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  struct stat found = {};
  if (!in || stat(path.c_str(), &found) != 0) {
    const std::string message =
        absl::StrCat(kind, " ", path, " cannot be read: ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::PermissionDeniedError(message);
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        kind, " ", path, " can be written by others than its owner: chmod go-w ", path));
  }
  return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace slipstream
