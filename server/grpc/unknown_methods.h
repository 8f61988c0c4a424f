// Answers calls of methods that the server does not have, in place of gRPC, which would answer them
// without a word and tell nobody.
#ifndef SLIPSTREAM_SERVER_GRPC_UNKNOWN_METHODS_H_
#define SLIPSTREAM_SERVER_GRPC_UNKNOWN_METHODS_H_

#include <grpcpp/generic/async_generic_service.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

// Thread-safe.
class UnknownMethods : public grpc::CallbackGenericService {
 public:
  // `monitor`, null for none, and this must outlive the gRPC server that this is registered with.
  // `version` is the server's.
  UnknownMethods(CallMonitor* monitor, std::string version)
      : monitor_(monitor), version_(std::move(version)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

 private:
  CallMonitor* const monitor_;
  const std::string version_;
};

// UNIMPLEMENTED that names the method, which is written as in "/slipstream.v1.Service/Method", and
// what the server has instead. A pure function.
absl::Status UnknownMethod(absl::string_view method, absl::string_view version);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_UNKNOWN_METHODS_H_
