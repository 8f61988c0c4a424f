// Sends what gRPC and protobuf themselves would write to standard error to the server's log, and
// tells it of TLS handshakes that were not finished.
#ifndef SLIPSTREAM_SERVER_GRPC_GRPC_LOG_H_
#define SLIPSTREAM_SERVER_GRPC_GRPC_LOG_H_

#include <cstdint>

#include "server/telemetry/log.h"

namespace slipstream {

// Until it is destroyed, their lines go to the log; those from one place of their code count as
// the same. `log` must outlive it and all of gRPC's threads. One at a time.
class GrpcLog {
 public:
  explicit GrpcLog(Log* log);
  ~GrpcLog();

  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

// TLS handshakes that failed so far in this process while there was a GrpcLog. A connection that
// ends before it has sent anything is none.
int64_t FailedHandshakes();

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_GRPC_LOG_H_
