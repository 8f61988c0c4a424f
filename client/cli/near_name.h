// Guesses what was meant by a misspelt word. The client has no part of core/, where the server's
// guesses are made.
#ifndef SLIPSTREAM_CLIENT_CLI_NEAR_NAME_H_
#define SLIPSTREAM_CLIENT_CLI_NEAR_NAME_H_

#include <string>
#include <vector>

namespace slipstream::cli {

// The name that `given` is most like; empty if it is like none. A letter more, less or other, or
// two that have changed places, are one mistake; up to two are forgiven, in short words one.
std::string NearName(const std::string& given, const std::vector<std::string>& names);

// "; did you mean NAME?", or empty.
std::string DidYouMean(const std::string& given, const std::vector<std::string>& names);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_NEAR_NAME_H_
