// The commands that carry whole studies out of a server and into one.
#ifndef SLIPSTREAM_CLIENT_CLI_EXCHANGE_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_EXCHANGE_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds "study export" and "study import" to the group of study commands.
void AddExchangeCommands(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_EXCHANGE_COMMANDS_H_
