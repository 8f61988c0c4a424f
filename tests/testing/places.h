// Where this checkout and its build tree are. Only places.cc is compiled with these paths, so that
// a compiler cache can share all other objects between checkouts.
#ifndef SLIPSTREAM_TESTS_TESTING_PLACES_H_
#define SLIPSTREAM_TESTS_TESTING_PLACES_H_

#include <string>

namespace slipstream {

// The absolute path of a file in the repository, such as "README.md".
std::string RepositoryPath(const std::string& relative);

// The absolute path of a file in the build tree, such as "bin/slipstream".
std::string BuildPath(const std::string& relative);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_PLACES_H_
