// Whether the domain of a parameter makes sense.
#ifndef SLIPSTREAM_CLIENT_CLI_DOMAIN_CHECK_H_
#define SLIPSTREAM_CLIENT_CLI_DOMAIN_CHECK_H_

#include "absl/status/status.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::cli {

// INVALID_ARGUMENT that says which bound is broken, without the parameter's
// name.
absl::Status CheckDomain(const v1::Parameter& parameter);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_DOMAIN_CHECK_H_
