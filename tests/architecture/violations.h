// Compares a source tree with the tables of layers.h.
#ifndef SLIPSTREAM_TESTS_ARCHITECTURE_VIOLATIONS_H_
#define SLIPSTREAM_TESTS_ARCHITECTURE_VIOLATIONS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace slipstream {

// What stands against the architecture in the tree under `root`, a sentence
// each: "core/gp/kernel.cc:12: includes ...". Empty if nothing does.
std::vector<std::string> FindViolations(const std::filesystem::path& root);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_ARCHITECTURE_VIOLATIONS_H_
