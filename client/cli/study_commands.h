// slipstream study ... and slipstream presets.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_COMMANDS_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Parsing one of these commands puts what it does into `chosen`, which must
// outlive `app`.
void AddStudyCommands(CLI::App* app, Action* chosen);
void AddPresetsCommand(CLI::App* app, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_COMMANDS_H_
