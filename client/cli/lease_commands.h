// The commands about trials that are out with workers: heartbeat, and trial show,
// release, report and annotate.
#ifndef SLIPSTREAM_CLIENT_CLI_LEASE_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_LEASE_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

void AddHeartbeat(CLI::App* app, Action* chosen);
// Adds the commands below "trial".
void AddHeldTrialCommands(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_LEASE_COMMANDS_H_
