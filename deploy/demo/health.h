// Waits for a server by the health protocol that every gRPC server can speak.
#ifndef SLIPSTREAM_DEPLOY_DEMO_HEALTH_H_
#define SLIPSTREAM_DEPLOY_DEMO_HEALTH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace slipstream {

// Returns as soon as the server at "host:port" reports that it is serving.
// DEADLINE_EXCEEDED, with the last error, if it does not within `patience`.
absl::Status WaitUntilServing(const std::string& address, absl::Duration patience);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_HEALTH_H_
