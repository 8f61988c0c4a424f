// absl::Status as gRPC sends it.
#ifndef SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
#define SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace slipstream {

// An InvalidField's violation travels as a slipstream.v1.BadRequest in the
// details (see errors.proto).
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
