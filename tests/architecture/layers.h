// The house's floors: which folder may include what. A change of the
// architecture is a change of the tables in layers.cc.
#ifndef SLIPSTREAM_TESTS_ARCHITECTURE_LAYERS_H_
#define SLIPSTREAM_TESTS_ARCHITECTURE_LAYERS_H_

#include <string>
#include <string_view>
#include <vector>

namespace slipstream {

// One folder (with its subfolders, unless they have a line of their own).
struct Layer {
  std::string_view folder;
  // Layers whose headers it may include, besides its own. A name that is no
  // layer itself ("core") stands for all layers below it, "*" for all there are.
  std::vector<std::string_view> folders;
  // Libraries it may include, besides the C++ standard library; "*" for all.
  std::vector<std::string_view> libraries;
};

const std::vector<Layer>& Layers();

// What stands at the root of the repository, besides names that begin with a dot.
const std::vector<std::string_view>& TopLevelEntries();

// The layer of a file or header by its path from the repository's root; null
// for a folder that no layer covers. A layer with sublayers covers only the
// files that lie in it directly.
const Layer* LayerOf(std::string_view path);

// Whether `from` may include headers of `to`.
bool MayInclude(const Layer& from, const Layer& to);

// Where the header of an #include lives, by its path from the root
// ("proto/slipstream/v1/study.pb.h"); empty when it is not ours.
std::string OwnPath(std::string_view header);

// The library that a header which is not ours belongs to: "std" for the C++
// standard library, "system" for the operating system's, "generated" for stubs
// that a test makes for itself, "unknown" for none of the known ones.
std::string_view LibraryOf(std::string_view header);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_ARCHITECTURE_LAYERS_H_
