// Compares a source tree with the tables of layers.h.
#ifndef SLIPSTREAM_TESTS_ARCHITECTURE_VIOLATIONS_H_
#define SLIPSTREAM_TESTS_ARCHITECTURE_VIOLATIONS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace slipstream {

// The violations of the architecture in the tree under `root`, the lines that are too long, and the
// links in Markdown that lead nowhere, each in a sentence such as
// "core/gp/kernel.cc:12: includes ...".
std::vector<std::string> FindViolations(const std::filesystem::path& root);

// The entries of the tables for which the tree under `root` has no sources, or none that
// needs the entry, each in a sentence.
std::vector<std::string> FindStaleEntries(const std::filesystem::path& root);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_ARCHITECTURE_VIOLATIONS_H_
