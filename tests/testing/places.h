// Where this checkout and its build tree are. Only places.cc is compiled with these paths, so that
// what a cache of compilers has of all other objects serves every checkout.
#ifndef SLIPSTREAM_TESTS_TESTING_PLACES_H_
#define SLIPSTREAM_TESTS_TESTING_PLACES_H_

#include <string>

namespace slipstream {

// The path of what is here in the repository, such as "README.md".
std::string RepositoryPath(const std::string& relative);

// The path of what is here in the build tree, such as "bin/slipstream".
std::string BuildPath(const std::string& relative);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_PLACES_H_
