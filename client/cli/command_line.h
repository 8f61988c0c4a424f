// The whole command line, from arguments to exit code.
#ifndef SLIPSTREAM_CLIENT_CLI_COMMAND_LINE_H_
#define SLIPSTREAM_CLIENT_CLI_COMMAND_LINE_H_

#include "client/cli/session.h"

namespace slipstream::cli {

// Runs the command that `argv` names. Results go to `terminal.out`, errors to
// `terminal.err`. Returns 0, 1 when the server or a file refused, 2 when the
// arguments make no sense.
int RunCommandLine(int argc, const char* const* argv, const Terminal& terminal);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_COMMAND_LINE_H_
