// How many long-lived calls each connection has under way: streams, and the backup. gRPC
// reports a call once its request has come, or an upload once it has begun, also for
// its own services.
#ifndef SLIPSTREAM_SERVER_GRPC_LASTING_CALLS_H_
#define SLIPSTREAM_SERVER_GRPC_LASTING_CALLS_H_

#include <grpcpp/support/server_interceptor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/grpc/open_connections.h"

namespace slipstream {

// Thread-safe.
class LastingCalls {
 public:
  void Begin(const Peer& peer);
  void End(const Peer& peer);
  int64_t Of(const Peer& peer);

 private:
  std::mutex mutex_;
  std::map<Peer, int64_t> calls_;
};

// What a server needs to count them.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> Counting(
    std::shared_ptr<LastingCalls> calls);

// The peer that gRPC writes as ipv4:192.0.2.1:7 or ipv6:[2001:db8::1]:7, whose brackets may be
// escaped as in URIs; port 0 if it has another form.
Peer PeerNamed(const std::string& name);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_LASTING_CALLS_H_
