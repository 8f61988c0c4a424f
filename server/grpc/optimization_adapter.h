// The service on gRPC's callback API. Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
#define SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_

#include <grpcpp/grpcpp.h>

#include <memory>

#include "server/grpc/call_setting.h"
#include "server/service/service.h"

namespace slipstream {

// `service`, what `setting` points to and the result must outlive the gRPC server that the result
// is registered with, and after it must last until no call is under way.
std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service,
                                                       const CallSetting& setting);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
