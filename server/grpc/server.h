// The listening server: adapters, health, reflection, limits.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(options, &service));
//   ...                                  // Until a signal arrives.
//   server->Drain(absl::Seconds(10));
#ifndef SLIPSTREAM_SERVER_GRPC_SERVER_H_
#define SLIPSTREAM_SERVER_GRPC_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/service/service.h"

namespace slipstream {

struct ServerOptions {
  // host:port; port 0 picks a free one.
  std::string listen = "127.0.0.1:7411";
  // Allows plaintext on an address that other machines can reach.
  bool allow_plaintext_beyond_loopback = false;
  // Concurrent calls on one connection; more wait in the client.
  int max_calls_per_connection = 1000;
};

// Thread-safe, except that Drain is called at most once.
class Server {
 public:
  // Checks the address as Start does, without listening.
  static absl::Status CheckAddress(const ServerOptions& options);

  // `service` and `extra_services` must outlive the server. Messages larger than
  // the service's limit get RESOURCE_EXHAUSTED. FAILED_PRECONDITION when the address
  // is taken, or is not a loopback address and plaintext was not allowed;
  // INVALID_ARGUMENT when it is not an address.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, Service* service,
      const std::vector<grpc::Service*>& extra_services = {});

  // Drains with no grace period if Drain was not called.
  ~Server();

  // The address that it listens on, with the actual port.
  const std::string& address() const { return address_; }

  // Refuses new calls, reports NOT_SERVING to health checks, waits for calls in
  // progress, and after `grace` cancels those that are left and stops the service's
  // computations, so that it returns soon after. Idle connections and
  // health watchers get one second to close.
  void Drain(absl::Duration grace);

 private:
  Server() = default;

  Service* service_ = nullptr;
  std::atomic<int64_t> under_way_{0};
  std::unique_ptr<grpc::Service> adapter_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_SERVER_H_
