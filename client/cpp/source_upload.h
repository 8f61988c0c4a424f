// Sends one source task in messages of bounded size.
#ifndef SLIPSTREAM_CLIENT_CPP_SOURCE_UPLOAD_H_
#define SLIPSTREAM_CLIENT_CPP_SOURCE_UPLOAD_H_

#include <grpcpp/support/status.h>

#include <cstddef>

#include "absl/status/status.h"
#include "client/cpp/caller.h"
#include "slipstream/messages/observation_reader.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream::client_internal {

// Limits of one message.
struct ChunkLimits {
  static constexpr int kObservations = 1000;
  // Total size of the observations on the wire. A larger one is sent alone.
  static constexpr size_t kBytes = size_t{1} << 20;
};

// Makes one attempt: sends the header in a message of its own, then
// `observations` from the start. If reading them fails, the call is cancelled,
// nothing is registered, and `read_status` says why; otherwise it is OK.
grpc::Status UploadSourceTask(Caller::Stub& stub, grpc::ClientContext* context,
                              const v1::RegisterSourceTaskRequest::Header& header,
                              ObservationReader& observations,
                              v1::RegisterSourceTaskResponse* response, absl::Status* read_status);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_SOURCE_UPLOAD_H_
