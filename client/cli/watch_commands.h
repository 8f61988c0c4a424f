// The commands that show what happens as it happens.
#ifndef SLIPSTREAM_CLIENT_CLI_WATCH_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_WATCH_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds "study watch" to the group of study commands.
void AddStudyWatch(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_WATCH_COMMANDS_H_
