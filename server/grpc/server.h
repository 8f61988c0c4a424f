// The listening server: adapters, health, reflection, limits.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(options, &service));
//   ...                                  // Until a signal comes.
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
  // host:port; port 0 takes a free one.
  std::string listen = "127.0.0.1:7411";
  // Plaintext on an address that other machines reach has to be asked for.
  bool allow_plaintext_beyond_loopback = false;
  // Messages in either direction; larger ones get RESOURCE_EXHAUSTED.
  int max_message_bytes = 16 << 20;
  // Calls under way on one connection; more wait in the client.
  int max_calls_per_connection = 1000;
};

// Thread-safe but for Drain, which is called once.
class Server {
 public:
  // Whether Start could listen as it is told, as far as that can be known before.
  static absl::Status CheckAddress(const ServerOptions& options);

  // `service` and `extra_services` must outlive the server. FAILED_PRECONDITION
  // when the address is taken, or is no loopback address and plaintext was not
  // allowed; INVALID_ARGUMENT when it is no address.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, Service* service,
      const std::vector<grpc::Service*>& extra_services = {});

  // Drains without patience if Drain was not called.
  ~Server();

  // Where it listens, with the actual port.
  const std::string& address() const { return address_; }

  // Takes no more calls, tells health checks so, waits for those under way, and
  // cancels what is left after `patience`. Who watches health or holds a connection
  // open without a call is not waited for, but for a moment to take leave.
  void Drain(absl::Duration patience);

 private:
  Server() = default;

  std::atomic<int64_t> under_way_{0};
  std::unique_ptr<grpc::Service> adapter_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_SERVER_H_
