#include "server/grpc/server.h"

#include <arpa/inet.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/service_type.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "server/grpc/optimization_adapter.h"

namespace slipstream {
namespace {

// How long connections stay open after the last answer, so that it is delivered
// and clients can close on their side.
constexpr absl::Duration kClosingTime = absl::Seconds(1);

struct HostAndPort {
  std::string host;
  int port = 0;
};

absl::StatusOr<HostAndPort> ParseAddress(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  HostAndPort result;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(listen.substr(colon + 1), &result.port) || result.port < 0 ||
      result.port > 65535) {
    return InvalidField("listen", listen, "host:port, such as 127.0.0.1:7411");
  }
  result.host = listen.substr(0, colon);
  return result;
}

// The only name accepted is "localhost"; "127.example.com" may be another machine.
bool IsLoopback(const std::string& host) {
  in_addr address = {};
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) return ntohl(address.s_addr) >> 24 == 127;
  return host == "localhost" || host == "[::1]";
}

absl::StatusOr<HostAndPort> CheckedAddress(const ServerOptions& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(HostAndPort address, ParseAddress(options.listen));
  if (IsLoopback(address.host) || options.allow_plaintext_beyond_loopback) return address;
  return absl::FailedPreconditionError(absl::StrCat(
      "listening on ", options.listen,
      " would let other machines connect without encryption; pass --allow-plaintext to do so"));
}

void Configure(const ServerOptions& options, int max_message_bytes, int* port,
               grpc::ServerBuilder* builder) {
  builder->AddListeningPort(options.listen, grpc::InsecureServerCredentials(), port);
  builder->SetMaxReceiveMessageSize(max_message_bytes);
  builder->SetMaxSendMessageSize(max_message_bytes);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_calls_per_connection);
  // Without this, two servers could listen on one port and share its calls at random.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

absl::Status Server::CheckAddress(const ServerOptions& options) {
  return CheckedAddress(options).status();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerOptions& options, Service* service,
    const std::vector<grpc::Service*>& extra_services) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const HostAndPort asked, CheckedAddress(options));
  // Debian's Abseil checks every lock of gRPC for deadlock cycles, which costs more than locking.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  std::unique_ptr<Server> result(new Server);
  result->service_ = service;
  result->adapter_ = MakeOptimizationAdapter(service, &result->under_way_);
  grpc::ServerBuilder builder;
  int port = 0;
  Configure(options, service->options().max_message_bytes, &port, &builder);
  builder.RegisterService(result->adapter_.get());
  for (grpc::Service* extra : extra_services) builder.RegisterService(extra);
  result->server_ = builder.BuildAndStart();
  if (result->server_ == nullptr || port == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot listen on ", options.listen,
                     ": the port is taken, or the address is not one of this machine"));
  }
  result->server_->GetHealthCheckService()->SetServingStatus(true);
  result->server_->GetHealthCheckService()->SetServingStatus("slipstream.v1.OptimizationService",
                                                             true);
  result->address_ = absl::StrCat(asked.host, ":", port);
  return result;
}

Server::~Server() {
  if (server_ != nullptr) Drain(absl::ZeroDuration());
}

void Server::Drain(absl::Duration grace) {
  const absl::Time deadline = absl::Now() + grace;
  server_->GetHealthCheckService()->SetServingStatus(false);
  absl::Notification all_closed;
  std::thread closing([&] {
    server_->Shutdown(absl::ToChronoTime(deadline));
    all_closed.Notify();
  });
  const Deadline grace_ends = Deadline::In(grace);
  while (under_way_ > 0 && !grace_ends.has_passed()) absl::SleepFor(absl::Milliseconds(5));
  service_->StopComputing();
  const absl::Time close_at = absl::Now() + kClosingTime;
  if (close_at < deadline && !all_closed.WaitForNotificationWithDeadline(close_at)) {
    grpc_server_cancel_all_calls(server_->c_server());
  }
  closing.join();
  server_->Wait();
  server_.reset();
}

}  // namespace slipstream
