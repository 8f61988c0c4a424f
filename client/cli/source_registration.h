// The command `slipstream source register`, which turns a CSV table into a
// source task.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_REGISTRATION_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_REGISTRATION_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Parsing the command sets `chosen`, which must outlive `group`, to its action.
void AddRegisterCommand(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_REGISTRATION_H_
