// The commands `slipstream source export` and `import`, which write a source task with its
// observations and register it again.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_EXCHANGE_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_EXCHANGE_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Parsing a command sets `chosen`, which must outlive `group`, to its action.
void AddSourceExchangeCommands(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_EXCHANGE_H_
