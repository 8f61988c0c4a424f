// The command that deletes earlier states of studies among the source tasks, which regular
// registrations leave behind.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_PRUNING_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_PRUNING_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds `prune` to `group`. Parsing it sets `chosen`.
void AddPruneCommand(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_PRUNING_H_
