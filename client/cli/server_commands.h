// The commands `slipstream server ...`.
#ifndef SLIPSTREAM_CLIENT_CLI_SERVER_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_SERVER_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds the group to `app`. Parsing one of its commands sets `chosen`, which must outlive `app`,
// to the command's action.
void AddServerCommands(CLI::App* app, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SERVER_COMMANDS_H_
