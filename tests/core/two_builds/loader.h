// The dynamic loader, which chooses between the builds of core.
#ifndef SLIPSTREAM_TESTS_CORE_TWO_BUILDS_LOADER_H_
#define SLIPSTREAM_TESTS_CORE_TWO_BUILDS_LOADER_H_

#include <string>
#include <vector>

namespace slipstream::two_builds {

// The path of the loader that loaded this program.
std::string LoaderPath();

// The arguments, before a program and its own, that make the loader pass over
// builds for more than the baseline.
std::vector<std::string> BaselineCommand();

}  // namespace slipstream::two_builds

#endif  // SLIPSTREAM_TESTS_CORE_TWO_BUILDS_LOADER_H_
