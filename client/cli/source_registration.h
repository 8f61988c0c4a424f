// slipstream source register: a CSV table becomes a source task.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_REGISTRATION_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_REGISTRATION_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

void AddRegisterCommand(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_REGISTRATION_H_
