// Converts absl::Status to gRPC. A pure function.
#ifndef SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
#define SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace slipstream {

// The violation of an InvalidField becomes a slipstream.v1.BadRequest in the
// status's details, and an OverloadError has a slipstream.v1.Overload there (see errors.proto).
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
