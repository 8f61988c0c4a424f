// The architecture as tables: which folder may include what, and whose sources
// need tests. To change the architecture, change the tables in layers.cc.
#ifndef SLIPSTREAM_TESTS_ARCHITECTURE_LAYERS_H_
#define SLIPSTREAM_TESTS_ARCHITECTURE_LAYERS_H_

#include <string>
#include <string_view>
#include <vector>

namespace slipstream {

// One folder with its subfolders; a subfolder's own row takes precedence.
struct Layer {
  std::string_view folder;
  // Layers whose headers it may include besides its own. A name that is not a
  // layer itself ("core") stands for all layers below it, "*" for all layers.
  std::vector<std::string_view> folders;
  // Libraries that it may include besides the C++ standard library; "*" for all.
  std::vector<std::string_view> libraries;
};

const std::vector<Layer>& Layers();

// The entries at the root of the repository, besides names that begin with a dot.
const std::vector<std::string_view>& TopLevelEntries();

// Folders whose every source X.cc has a test X_test.cc in the same folder below
// tests/, or is named in the CMakeLists.txt of its tests, with what tests it, or by
// its path in that of tests/e2e.
const std::vector<std::string_view>& MirroredFolders();

// Folders below tests/ that test a house as a whole instead of one of its folders.
const std::vector<std::string_view>& FoldersOfTestsOnly();

// A file below tests/ that may sleep, although tests wait for conditions, and why it may.
struct SleepingFile {
  std::string_view file;
  std::string_view reason;
};

const std::vector<SleepingFile>& SleepingFiles();

// The layer of a file or header by its path from the repository's root; null
// for a folder that no layer covers. A layer with sublayers covers only the
// files directly in it.
const Layer* LayerOf(std::string_view path);

// Whether `from` may include headers of `to`.
bool MayInclude(const Layer& from, const Layer& to);

// The path from the root of the header that an #include names, for example
// "proto/slipstream/v1/study.pb.h"; empty if it is not ours.
std::string OwnPath(std::string_view header);

// The library of a header that is not ours: "std" for the C++ standard library,
// "system" for the operating system, "generated" for stubs that a test generates
// for itself, "unknown" for other libraries.
std::string_view LibraryOf(std::string_view header);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_ARCHITECTURE_LAYERS_H_
