// Runs a whole command line, from arguments to exit code.
#ifndef SLIPSTREAM_CLIENT_CLI_COMMAND_LINE_H_
#define SLIPSTREAM_CLIENT_CLI_COMMAND_LINE_H_

#include "client/cli/session.h"

namespace slipstream::cli {

// Runs the command that `argv` names. Results go to `terminal.out`, errors to
// `terminal.err`. Returns 0 for success, 1 if the server refused or a file could
// not be read, 2 if the arguments are wrong.
int RunCommandLine(int argc, const char* const* argv, const Terminal& terminal);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_COMMAND_LINE_H_
