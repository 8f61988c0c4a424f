// The command that creates a study.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_CREATION_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_CREATION_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds "study create" to the group of study commands.
void AddCreationCommand(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_CREATION_H_
