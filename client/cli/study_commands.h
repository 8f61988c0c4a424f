// The commands `slipstream study ...`.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds the commands to `app`. Parsing one of them sets `chosen`, which must
// outlive `app`, to the command's action.
void AddStudyCommands(CLI::App* app, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_COMMANDS_H_
