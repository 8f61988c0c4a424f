// What the server's process may have resident at most, whatever its callers do: the sum of what
// bounds its parts. memory_bounds_test.cc in tests/e2e tries to make it take more.
#ifndef SLIPSTREAM_SERVER_GRPC_MEMORY_BOUND_H_
#define SLIPSTREAM_SERVER_GRPC_MEMORY_BOUND_H_

#include <cstdint>

#include "core/prior/blocks/source_model.h"
#include "server/grpc/server.h"
#include "server/service/call_limits.h"
#include "server/service/service_options.h"

namespace slipstream {

// In bytes. The program, its threads and the pages that the store's connections keep; and what gRPC
// keeps of an open connection, twice what an idle one takes.
inline constexpr int64_t kBytesAtRest = int64_t{64} << 20;
inline constexpr int64_t kBytesOfConnection = int64_t{48} << 10;
// What gRPC keeps of an open call: some 16 KiB, and its metadata.
inline constexpr int64_t kBytesOfCall = int64_t{32} << 10;
// What computing a suggestion or fitting a source task takes at a time, beside source tasks. With
// 10,000 results, patches take 190 MiB with gp_log_ei and 310 MiB with gp_hmc, which has several
// models.
inline constexpr int64_t kBytesOfComputation = int64_t{384} << 20;
inline constexpr int64_t kBytesOfEvent = 1 << 10;

// What is under way counts one and a half times: gRPC keeps to its part only roughly, and what has
// been given back stays with the allocator for a while.
inline int64_t MostResidentBytes(const ServerOptions& server, const ServiceOptions& service) {
  const size_t caches = service.fitted_source_bytes + service.source_cache_bytes +
                        service.study_cache_bytes + service.history_cache_bytes +
                        service.curve_cache_bytes + service.prepared_bytes + kSharedCacheBytes;
  // On one more thread computations begin, and another one fits source tasks.
  const int64_t computations = service.compute_threads + 2;
  return kBytesAtRest + server.max_connections * kBytesOfConnection +
         server.max_unended_calls * kBytesOfCall +
         server.call_memory_bytes * 3 / 2 + static_cast<int64_t>(caches) +
         static_cast<int64_t>(service.events.max_events) * kBytesOfEvent +
         computations * (kBytesOfComputation + kMaxSourceBytes);
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_MEMORY_BOUND_H_
