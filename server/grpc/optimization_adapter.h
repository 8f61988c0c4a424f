// The service on gRPC's callback API. Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
#define SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_

#include <grpcpp/grpcpp.h>

#include <memory>

#include "server/service/service.h"

namespace slipstream {

// `service` must outlive the gRPC server that the adapter is registered with.
std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
