#include "tests/architecture/violations.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/architecture/layers.h"
#include "tests/architecture/markdown_links.h"
#include "tests/architecture/source_tree.h"

namespace slipstream {
namespace {

bool Contains(const std::vector<std::string_view>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string FolderOf(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

std::string Quote(std::string_view text) { return "'" + std::string(text) + "'"; }

// The violation, if any, in including a header of ours.
std::optional<std::string> CheckOwn(const Layer& layer, const std::string& own_path) {
  const Layer* target = LayerOf(own_path);
  if (target == nullptr) {
    return Quote(FolderOf(own_path)) + " is a new folder: add it to the table in layers.cc";
  }
  if (MayInclude(layer, *target)) return std::nullopt;
  return Quote(layer.folder) + " must not include " + Quote(target->folder);
}

// The violation, if any, in including a header that is not ours.
std::optional<std::string> CheckForeign(const Layer& layer, const Include& include) {
  const std::string_view library = LibraryOf(include.header);
  if (include.quoted && (library == "system" || library == "unknown")) {
    return "our headers are included by their path from the repository's root";
  }
  if (library == "std" || Contains(layer.libraries, "*")) return std::nullopt;
  if (library == "unknown") return "a new library: add it to the table in layers.cc";
  if (Contains(layer.libraries, library)) return std::nullopt;
  return Quote(layer.folder) + " must not include the library " + Quote(library);
}

void CheckFile(const std::string& path, std::string_view text,
               std::vector<std::string>& violations) {
  const Layer* layer = LayerOf(path);
  if (layer == nullptr) {
    violations.push_back(path + ": " + Quote(FolderOf(path)) +
                         " is a new folder: add it to the table in layers.cc");
    return;
  }
  for (const Include& include : ParseIncludes(text)) {
    const std::string own_path = OwnPath(include.header);
    const std::optional<std::string> wrong =
        own_path.empty() ? CheckForeign(*layer, include) : CheckOwn(*layer, own_path);
    if (!wrong) continue;
    violations.push_back(path + ":" + std::to_string(include.line) + ": includes " +
                         Quote(include.header) + ": " + *wrong);
  }
}

void CheckTopLevel(const std::vector<std::string>& files, std::vector<std::string>& violations) {
  std::set<std::string> present;
  for (const std::string& file : files) present.insert(file.substr(0, file.find('/')));
  for (const std::string& entry : present) {
    if (entry[0] == '.' || Contains(TopLevelEntries(), entry)) continue;
    violations.push_back(entry + ": does not belong at the root of the repository");
  }
  for (std::string_view entry : TopLevelEntries()) {
    if (present.contains(std::string(entry))) continue;
    violations.push_back(std::string(entry) + ": is missing at the root of the repository");
  }
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.starts_with(std::string(folder) + "/");
}

bool AnyIsBelow(const std::vector<std::string>& files, std::string_view folder) {
  return std::any_of(files.begin(), files.end(),
                     [&](const std::string& file) { return IsBelow(file, folder); });
}

// Whether the CMakeLists.txt of the folder's tests, or of the folder above, names
// the source `name`.
bool TestsName(const std::filesystem::path& tests, const std::string& name) {
  for (const std::filesystem::path& folder : {tests, tests.parent_path()}) {
    for (char before : {' ', '/'}) {
      if (ReadFile(folder / "CMakeLists.txt").find(before + name) != std::string::npos) return true;
    }
  }
  return false;
}

// Whether the CMakeLists.txt of tests/e2e names the source `file`, by its path.
bool EndToEndTestsName(const std::filesystem::path& root, const std::string& file) {
  const std::string text = ReadFile(root / "tests/e2e/CMakeLists.txt");
  return text.find(' ' + file) != std::string::npos;
}

// Sources without tests, in the folders that must have them.
void CheckTests(const std::filesystem::path& root, const std::vector<std::string>& files,
                std::vector<std::string>& violations) {
  const std::set<std::string> present(files.begin(), files.end());
  for (const std::string& file : files) {
    const std::string folder = FolderOf(file);
    if (!file.ends_with(".cc") || !Contains(MirroredFolders(), folder)) continue;
    const std::string test = "tests/" + file.substr(0, file.size() - 3) + "_test.cc";
    const std::string name = file.substr(folder.size() + 1);
    if (present.contains(test) || TestsName(root / "tests" / folder, name)) continue;
    if (EndToEndTestsName(root, file)) continue;
    violations.push_back(file + ": has no " + test + ", and the CMakeLists.txt there does not " +
                         "say which tests cover " + name);
  }
}

// Tests of folders that do not exist.
void CheckTestFolders(const std::vector<std::string>& files,
                      std::vector<std::string>& violations) {
  for (const std::string& file : files) {
    if (!file.starts_with("tests/") || !file.ends_with("_test.cc")) continue;
    const std::string folder = FolderOf(file.substr(std::string("tests/").size()));
    const bool mirrors = IsBelow(folder, "core") || IsBelow(folder, "server") ||
                         IsBelow(folder, "client") || IsBelow(folder, "deploy");
    if (!mirrors || Contains(FoldersOfTestsOnly(), folder) || AnyIsBelow(files, folder)) continue;
    violations.push_back(file + ": tests the folder " + Quote(folder) + ", which does not exist");
  }
}

// The first line that has one of the words, from 1; 0 if there is none.
long LineWith(std::string_view text, std::initializer_list<std::string_view> words) {
  size_t first = text.npos;
  for (const std::string_view word : words) first = std::min(first, text.find(word));
  return first == text.npos ? 0 : 1 + std::count(text.begin(), text.begin() + first, '\n');
}

long LineThatSleeps(std::string_view text) {
  return LineWith(text, {"sleep_for", "sleep_until", "SleepFor", "usleep", "nanosleep",
                         "time.sleep", "asyncio.sleep"});
}

bool MaySleep(std::string_view file) {
  return std::any_of(SleepingFiles().begin(), SleepingFiles().end(),
                     [&](const SleepingFile& each) { return each.file == file; });
}

// Tests that sleep instead of waiting for a condition.
void CheckSleeps(const std::filesystem::path& root, const std::vector<std::string>& files,
                 std::vector<std::string>& violations) {
  for (const std::string& file : files) {
    const std::filesystem::path path = file;
    const bool is_program = IsCppSource(file) || path.extension() == ".py" || !path.has_extension();
    if (!IsBelow(file, "tests") || !is_program || MaySleep(file)) continue;
    const long line = LineThatSleeps(ReadFile(root / file));
    if (line == 0) continue;
    violations.push_back(file + ":" + std::to_string(line) +
                         ": sleeps: wait for a condition, if need be by " +
                         "tests/testing/eventually.h or tests/testing/waiting.py");
  }
}

// Hash maps that do not survive an allocation that fails, in what the server consists of.
void CheckHashMaps(const std::filesystem::path& root, const std::vector<std::string>& files,
                   std::vector<std::string>& violations) {
  for (const std::string& file : files) {
    if (!IsCppSource(file) || !(IsBelow(file, "core") || IsBelow(file, "server"))) continue;
    const long line = LineWith(ReadFile(root / file), {"absl/container/flat_hash",
                                                       "absl/container/node_hash"});
    if (line == 0) continue;
    violations.push_back(file + ":" + std::to_string(line) +
                         ": uses a hash map of Abseil, which a failed allocation corrupts: " +
                         "use one of the standard library");
  }
}

// The most characters that a line of such a file may have; nothing if it may have any number.
std::optional<long> MostCharacters(const std::filesystem::path& file) {
  const std::string extension = file.extension();
  if (IsCppSource(file.string()) || extension == ".proto" || extension == ".inc") return 100;
  if (extension == ".py") return 110;
  if (extension == ".cmake" || file.filename() == "CMakeLists.txt") return 120;
  return std::nullopt;
}

// UTF-8 continues a character with bytes that begin with the bits 10.
long CountCharacters(std::string_view line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

void CheckLineLengths(const std::filesystem::path& root, const std::vector<std::string>& files,
                      std::vector<std::string>& violations) {
  for (const std::string& file : files) {
    const std::optional<long> most = MostCharacters(file);
    if (!most) continue;
    std::istringstream text(ReadFile(root / file));
    long number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      const long characters = CountCharacters(line);
      if (characters <= *most) continue;
      violations.push_back(file + ":" + std::to_string(number) + ": has " +
                           std::to_string(characters) + " characters, more than " +
                           std::to_string(*most));
    }
  }
}

}  // namespace

std::vector<std::string> FindViolations(const std::filesystem::path& root) {
  const std::vector<std::string> files = ListFiles(root);
  std::vector<std::string> violations;
  CheckTopLevel(files, violations);
  for (const std::string& file : files) {
    if (IsCppSource(file)) CheckFile(file, ReadFile(root / file), violations);
  }
  CheckTests(root, files, violations);
  CheckTestFolders(files, violations);
  CheckSleeps(root, files, violations);
  CheckHashMaps(root, files, violations);
  CheckLineLengths(root, files, violations);
  for (std::string& broken : FindBrokenLinks(root, files)) violations.push_back(std::move(broken));
  return violations;
}

std::vector<std::string> FindStaleEntries(const std::filesystem::path& root) {
  const std::vector<std::string> files = ListFiles(root);
  std::set<std::string_view> folders(MirroredFolders().begin(), MirroredFolders().end());
  for (const Layer& layer : Layers()) {
    folders.insert(layer.folder);
    for (std::string_view included : layer.folders) {
      if (included != "*") folders.insert(included);
    }
  }
  std::vector<std::string> stale;
  for (std::string_view folder : folders) {
    if (AnyIsBelow(files, folder)) continue;
    stale.push_back("layers.cc: names the folder " + Quote(folder) + ", which does not exist");
  }
  for (const SleepingFile& each : SleepingFiles()) {
    if (LineThatSleeps(ReadFile(root / each.file)) > 0) continue;
    stale.push_back("layers.cc: lets " + Quote(each.file) + " sleep, which does not");
  }
  return stale;
}

}  // namespace slipstream
