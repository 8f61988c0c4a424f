// What is said after something was deleted.
#ifndef SLIPSTREAM_CLIENT_CLI_DELETION_H_
#define SLIPSTREAM_CLIENT_CLI_DELETION_H_

#include <string>

#include "client/cli/session.h"

namespace slipstream::cli {

// In the session's format; JSON: {"name": ..., "deleted": true}.
void PrintDeleted(const std::string& name, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_DELETION_H_
