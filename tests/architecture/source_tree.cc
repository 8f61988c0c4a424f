#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

namespace slipstream {
namespace {

namespace fs = std::filesystem;

// Nullopt if git is missing or fails.
std::optional<std::string> GitListing(const fs::path& root) {
  if (!fs::exists(root / ".git")) return std::nullopt;
  // A git hook's environment variables would point to another repository.
  const std::string command = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE git -C '" +
                              root.string() +
                              "' ls-files -z --cached --others --exclude-standard 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  if (pclose(pipe) != 0) return std::nullopt;
  return output;
}

// Omits files that git knows but that are deleted.
std::vector<std::string> SplitListing(const fs::path& root, const std::string& listing) {
  std::vector<std::string> files;
  size_t begin = 0;
  for (size_t end; (end = listing.find('\0', begin)) != std::string::npos; begin = end + 1) {
    std::string file = listing.substr(begin, end - begin);
    if (fs::exists(root / file)) files.push_back(std::move(file));
  }
  return files;
}

std::vector<std::string> WalkTree(const fs::path& root) {
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name == ".git" || name == ".build")) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      files.push_back(fs::relative(it->path(), root).generic_string());
    }
  }
  return files;
}

void SkipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\f\v"), text.size()));
}

bool Skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Nullopt if the line includes no file.
std::optional<Include> ParseLine(std::string_view line, int number) {
  SkipBlanks(line);
  if (!Skip(line, "#")) return std::nullopt;
  SkipBlanks(line);
  if (!Skip(line, "include")) return std::nullopt;
  Skip(line, "_next");
  SkipBlanks(line);
  const bool quoted = line.starts_with('"');
  if (!quoted && !line.starts_with('<')) return std::nullopt;
  line.remove_prefix(1);
  const size_t end = line.find(quoted ? '"' : '>');
  if (end == 0 || end == line.npos) return std::nullopt;
  return Include{number, std::string(line.substr(0, end)), quoted};
}

}  // namespace

std::vector<std::string> ListFiles(const fs::path& root) {
  const std::optional<std::string> listing = GitListing(root);
  std::vector<std::string> files = listing ? SplitListing(root, *listing) : WalkTree(root);
  std::sort(files.begin(), files.end());
  return files;
}

bool IsCppSource(std::string_view path) {
  const std::string extension = fs::path(path).extension().string();
  for (std::string_view known : {".h", ".cc", ".inc", ".hpp", ".cpp", ".hh", ".cxx", ".ipp"}) {
    if (extension == known) return true;
  }
  return false;
}

std::vector<Include> ParseIncludes(std::string_view text) {
  std::vector<Include> includes;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (const std::optional<Include> include = ParseLine(text.substr(0, end), number)) {
      includes.push_back(*include);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return includes;
}

std::string ReadFile(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace slipstream
