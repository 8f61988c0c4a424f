// Converts absl::Status to gRPC. Pure functions.
#ifndef SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
#define SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_

#include <grpcpp/support/status.h>

#include <new>
#include <stdexcept>

#include "absl/status/status.h"

namespace slipstream {

// The status has slipstream.v1.StatusDetails (see errors.proto) with what the payloads tell of an
// InvalidField, an OverloadError and the refusals of refusals.h, and if it is UNAVAILABLE.
grpc::Status ToGrpcStatus(const absl::Status& status);

// The status that `work` returns, or one whose text is so short that it takes no memory:
// UNAVAILABLE if there is too little for the moment, as callers repeat that even without details,
// and RESOURCE_EXHAUSTED if there could never be enough.
template <typename Work>
grpc::Status OrNoMemory(const Work& work) noexcept {
  constexpr char kText[] = "no memory";
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, kText);
  } catch (const std::length_error&) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, kText);
  }
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_STATUS_CONVERSION_H_
