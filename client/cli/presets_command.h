// The command `slipstream presets`.
#ifndef SLIPSTREAM_CLIENT_CLI_PRESETS_COMMAND_H_
#define SLIPSTREAM_CLIENT_CLI_PRESETS_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds the command to `app`. Parsing it sets `chosen`, which must outlive `app`,
// to the command's action.
void AddPresetsCommand(CLI::App* app, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_PRESETS_COMMAND_H_
