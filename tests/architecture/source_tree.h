// The repository's files and the #include lines in them.
#ifndef SLIPSTREAM_TESTS_ARCHITECTURE_SOURCE_TREE_H_
#define SLIPSTREAM_TESTS_ARCHITECTURE_SOURCE_TREE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipstream {

// One #include line.
struct Include {
  int line = 0;
  std::string header;   // The text between the quotes or brackets.
  bool quoted = false;  // "header" rather than <header>.
};

// Sorted paths of all files, relative to `root`: those that git tracks or would
// track or, without git, everything but .git and .build.
std::vector<std::string> ListFiles(const std::filesystem::path& root);

bool IsCppSource(std::string_view path);

// The #include lines of a C++ source, including those that are commented out with
// /* */.
std::vector<Include> ParseIncludes(std::string_view text);

// The file's content; empty if it cannot be read.
std::string ReadFile(const std::filesystem::path& file);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_ARCHITECTURE_SOURCE_TREE_H_
