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
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/gate.h"
#include "server/grpc/call_guard.h"
#include "server/grpc/idle_uploads.h"
#include "server/grpc/listener.h"
#include "server/grpc/memory_budget.h"
#include "server/grpc/stall_guard.h"
#include "server/grpc/transport_security.h"
#include "server/grpc/unknown_methods.h"
#include "server/quota/call_rates.h"
#include "server/quota/quotas.h"
#include "server/service/executor.h"
#include "server/service/service.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

struct ServerOptions {
  // host:port; port 0 picks a free one.
  std::string listen = "127.0.0.1:7411";
  // Allows plaintext on an address that other machines can reach.
  bool allow_plaintext_beyond_loopback = false;
  // With none, connections are plaintext.
  TlsFiles tls = {};
  // Concurrent calls on one connection; more wait in the client.
  int max_calls_per_connection = 1000;
  // Calls of one connection that have begun and not been ended, also those that the caller has
  // taken back; with more it is closed (call_guard.h).
  int max_unended_calls_per_connection = 2000;
  // The same of all connections; with more, those that have the most are closed.
  int max_unended_calls = 20000;
  // Concurrent calls of reflection, each of which takes a thread; more are refused.
  int max_reflections = 16;
  // The metadata of one call, by the rules of HTTP/2 (RFC 9113, section 6.5.2).
  int max_metadata_bytes = 16 << 10;
  // Notified of all calls; null for none. Must outlive the server.
  CallMonitor* monitor = nullptr;
  // Decides who may call; null for everybody. Must outlive the server.
  Gate* gate = nullptr;
  // How many calls a second each project may make; null for any number. Must outlive the server.
  Quotas* quotas = nullptr;
  // Connections at a time, in all and of one address, see AddressOf; more are refused.
  int max_connections = 10000;
  int max_connections_per_address = 2500;
  // A connection without a call is closed after the first time, and one that has not begun to speak
  // HTTP/2 after the second.
  absl::Duration max_idle = absl::Minutes(30);
  absl::Duration max_handshake = absl::Seconds(20);
  // How often callers are pinged, and how long they may take to answer. Finds
  // those whose machine is gone, and those that begin headers and never end them.
  absl::Duration ping_period = absl::Minutes(1);
  absl::Duration max_ping_answer = absl::Seconds(20);
  // Callers who ping more often while nothing else is sent are disconnected. Many have their gRPC
  // ping every half a minute, some every ten seconds.
  absl::Duration min_pause_of_pings = absl::Seconds(5);
  // Memory for calls. A quarter is gRPC's, for messages that have arrived in part and answers
  // that have not been read: when it is short of it, it ends calls. The rest is for large
  // requests and uploads that are under way; more of these are refused.
  int64_t call_memory_bytes = int64_t{1} << 30;
  int64_t grpc_bytes() const { return call_memory_bytes / 4; }
  int64_t request_bytes() const { return call_memory_bytes - grpc_bytes(); }
  // An upload whose caller sends nothing for this time is ended, and registers nothing. A
  // connection is closed if a message stays incomplete, and none is completed, for this time and
  // twice what a suggestion may take.
  absl::Duration max_upload_idle = absl::Minutes(5);
  // Notified now and then of connections that are refused, and of each that is closed.
  std::function<void(const std::string& text)> on_refused = [](const std::string&) {};
};

// Thread-safe, except that Drain is called at most once.
class Server {
 public:
  // Checks the address and the files of TLS as Start does, without listening.
  static absl::Status CheckAddress(const ServerOptions& options);

  // `service` and `extra_services` must outlive the server. Messages larger than
  // the service's limit get RESOURCE_EXHAUSTED. FAILED_PRECONDITION when the address
  // is taken, or a file of TLS is unfit; INVALID_ARGUMENT when it is not an address, or not a
  // loopback address while neither TLS was set up nor plaintext allowed, or when only one of the
  // files of TLS is given.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, Service* service,
      const std::vector<grpc::Service*>& extra_services = {});

  // Drains with no grace period if Drain was not called.
  ~Server();

  // The address that it listens on, with the actual port.
  const std::string& address() const { return address_; }

  // Connections that were refused for one of the limits.
  int64_t refused_connections(Listener::Limit limit) const { return listener_->refused(limit); }
  // Connections that were closed for their calls: too many of them, or one whose message stayed
  // incomplete.
  int64_t closed_connections() const { return closed_connections_; }

  // What new connections are encrypted with, as it was when the server started; null without TLS.
  const std::shared_ptr<ServedTls>& tls() const { return tls_; }

  // Ends all connections, so that callers connect again; how many there were.
  int DisconnectAll() { return listener_->DisconnectAll(); }

  // What health checks report, unless the server drains.
  void SetHealthy(bool healthy);

  // Refuses new calls, reports NOT_SERVING to health checks, waits for calls in
  // progress, and after `grace` cancels those that are left and stops the service's
  // computations, so that it returns soon after, once the store has finished what it has begun.
  // Idle connections and health watchers get one second to close.
  void Drain(absl::Duration grace);

 private:
  Server() = default;

  Service* service_ = nullptr;
  std::atomic<int64_t> under_way_{0};
  std::atomic<int64_t> closed_connections_{0};
  std::shared_ptr<ServedTls> tls_;
  std::unique_ptr<MemoryBudget> budget_;
  std::unique_ptr<IdleUploads> idle_uploads_;
  std::unique_ptr<CallRates> rates_;  // Null: any number.
  std::unique_ptr<grpc::Service> adapter_;
  std::unique_ptr<UnknownMethods> unknown_methods_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<CallGuard> call_guard_;
  std::unique_ptr<StallGuard> stall_guard_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  // Started with the server: a process without memory to spare cannot start a thread to drain.
  std::unique_ptr<Executor> closing_;
  std::string address_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_SERVER_H_
