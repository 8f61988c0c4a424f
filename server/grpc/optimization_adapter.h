// The service on gRPC's callback API. Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
#define SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "server/grpc/admission.h"
#include "server/grpc/idle_uploads.h"
#include "server/grpc/memory_budget.h"
#include "server/service/service.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

// Both must outlive the gRPC server that the adapter is registered with.
// `under_way` counts the calls that have not been answered yet. What large requests hold is taken
// from `budget`; `idle` ends uploads whose callers are silent. `monitor`, which may be null, is
// told of all calls; `admission` decides who may call. They must outlive the gRPC server, too.
std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service,
                                                       std::atomic<int64_t>* under_way,
                                                       MemoryBudget* budget, IdleUploads* idle,
                                                       CallMonitor* monitor, Admission admission);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_OPTIMIZATION_ADAPTER_H_
