#include "tests/architecture/violations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "tests/architecture/layers.h"
#include "tests/architecture/source_tree.h"

namespace slipstream {
namespace {

bool Contains(const std::vector<std::string_view>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string FolderOf(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

std::string Quote(std::string_view text) { return "'" + std::string(text) + "'"; }

// What is wrong with a header of ours, if anything.
std::optional<std::string> CheckOwn(const Layer& layer, const std::string& own_path) {
  const Layer* target = LayerOf(own_path);
  if (target == nullptr) {
    return Quote(FolderOf(own_path)) + " is a new folder: add it to the table in layers.cc";
  }
  if (MayInclude(layer, *target)) return std::nullopt;
  return Quote(layer.folder) + " must not include " + Quote(target->folder);
}

// What is wrong with a header that is not ours, if anything.
std::optional<std::string> CheckForeign(const Layer& layer, const Include& include) {
  const std::string_view library = LibraryOf(include.header);
  if (include.quoted && (library == "system" || library == "unknown")) {
    return "headers of ours are included by their path from the repository's root";
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
    violations.push_back(entry + ": does not belong at the top of the repository");
  }
  for (std::string_view entry : TopLevelEntries()) {
    if (present.contains(std::string(entry))) continue;
    violations.push_back(std::string(entry) + ": is missing at the top of the repository");
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
  return violations;
}

}  // namespace slipstream
