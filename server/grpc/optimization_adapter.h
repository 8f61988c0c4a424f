// The service on gRPC's callback API. Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
#define SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "server/service/service.h"

namespace slipstream {

// Both must outlive the gRPC server that the adapter is registered with.
// `under_way` counts the calls that have not been answered yet.
std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service,
                                                       std::atomic<int64_t>* under_way);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
