// Reports a deletion.
#ifndef SLIPSTREAM_CLIENT_CLI_DELETION_H_
#define SLIPSTREAM_CLIENT_CLI_DELETION_H_

#include <string>

#include "client/cli/session.h"

namespace slipstream::cli {

// Prints in the session's format that `name` was deleted, as JSON
// {"name": ..., "deleted": true}.
void PrintDeleted(const std::string& name, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_DELETION_H_
