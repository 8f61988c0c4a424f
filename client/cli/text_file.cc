#include "client/cli/text_file.h"

#include <cerrno>
#include <cstdio>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace slipstream::cli {
namespace {

absl::StatusOr<std::string> ReadAll(const std::string& path, std::FILE* file, size_t most) {
  std::string text;
  char block[1 << 16];
  size_t count = 0;
  while ((count = std::fread(block, 1, sizeof(block), file)) > 0) {
    if (count > most - text.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " is too large: it has more than ", most, " bytes"));
    }
    text.append(block, count);
  }
  if (std::ferror(file) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t most) {
  if (path == "-") return ReadAll("standard input", stdin, most);
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  absl::StatusOr<std::string> text = ReadAll(path, file, most);
  std::fclose(file);
  return text;
}

}  // namespace slipstream::cli
