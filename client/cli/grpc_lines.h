// What becomes of the lines that gRPC itself would write to standard error.
#ifndef SLIPSTREAM_CLIENT_CLI_GRPC_LINES_H_
#define SLIPSTREAM_CLIENT_CLI_GRPC_LINES_H_

namespace slipstream::cli {

// From now on, lines about handshakes of TLS are dropped, since the error of the call says what
// they mean, and all others look like the tool's own: "slipstream: gRPC: ...". Does nothing if the
// environment has GRPC_VERBOSITY or GRPC_TRACE: who sets these wants to see what gRPC writes.
void TakeGrpcLines();

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_GRPC_LINES_H_
