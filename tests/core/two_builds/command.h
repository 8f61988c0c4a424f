// What another program prints.
#ifndef SLIPSTREAM_TESTS_CORE_TWO_BUILDS_COMMAND_H_
#define SLIPSTREAM_TESTS_CORE_TWO_BUILDS_COMMAND_H_

#include <string>
#include <vector>

namespace slipstream::two_builds {

// The lines that a shell command prints; it is a test failure when the command
// fails. Programs and arguments must not hold a quote.
std::vector<std::string> LinesOf(const std::vector<std::string>& program_and_arguments);

}  // namespace slipstream::two_builds

#endif  // SLIPSTREAM_TESTS_CORE_TWO_BUILDS_COMMAND_H_
