// How long commands wait for the server.
#ifndef SLIPSTREAM_CLIENT_CLI_CALL_LIMITS_H_
#define SLIPSTREAM_CLIENT_CLI_CALL_LIMITS_H_

#include <optional>

#include "slipstream/client_options.h"

namespace slipstream::cli {

// Lets each call outlast a server's restart of some seconds, but soon tells a person that the
// server does not answer. With a timeout, a call takes at most that many seconds, which must be
// above 0, and goes on for as long.
void LimitCalls(std::optional<double> timeout, ClientOptions* options);

// The same for a command that tells an outcome, which may be all that is left of a long training:
// without a timeout its calls go on for as long as those of programs that tell one.
void LimitCallsOfOutcome(std::optional<double> timeout, ClientOptions* options);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_CALL_LIMITS_H_
