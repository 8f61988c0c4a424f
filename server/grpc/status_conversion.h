// Converts absl::Status to gRPC. A pure function.
#ifndef SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
#define SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace slipstream {

// The status has slipstream.v1.StatusDetails (see errors.proto) with what the payloads tell of an
// InvalidField, an OverloadError and the refusals of refusals.h, and if it is UNAVAILABLE.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
