// The commands `slipstream suggest`, `observe`, `trials`, `trial add` and
// `explain`.
#ifndef SLIPSTREAM_CLIENT_CLI_TRIAL_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_TRIAL_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds the commands to `app`. Parsing one of them sets `chosen`, which must
// outlive `app`, to the command's action.
void AddTrialCommands(CLI::App* app, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TRIAL_COMMANDS_H_
