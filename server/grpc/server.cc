#include "server/grpc/server.h"

#include <grpc/grpc.h>
#include <grpc/support/cpu.h>
#include <grpc/support/time.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/service_type.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "server/grpc/handshake_peers.h"
#include "server/grpc/loopback.h"
#include "server/grpc/optimization_adapter.h"

namespace slipstream {
namespace {

// How long connections stay open after the last answer, so that it is delivered
// and clients can close on their side.
constexpr absl::Duration kClosingTime = absl::Seconds(1);

// The server itself refuses messages above the limit, and tells of them, up to so many times it.
constexpr int kReceivedAtMost = 4;

absl::StatusOr<HostAndPort> CheckedAddress(const ServerOptions& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(HostAndPort address, ParseHostAndPort("listen", options.listen));
  if (options.tls.is_set()) SLIPSTREAM_RETURN_IF_ERROR(ReadTlsFiles(options.tls).status());
  if (options.tls.is_set() || IsLoopback(address.host) || options.allow_plaintext_beyond_loopback) {
    return address;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "listening on ", options.listen,
      " would let other machines connect without encryption; give --tls-certificate and --tls-key, "
      "or pass --allow-plaintext to do so nevertheless"));
}

int Milliseconds(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Milliseconds(duration));
}

void Configure(const ServerOptions& options, int max_message_bytes, grpc::ServerBuilder* builder) {
  // gRPC has taken the memory for a message, which its quota bounds, before it compares the size.
  // Its own limit is for its own services, and answers larger messages without naming a flag.
  builder->SetMaxReceiveMessageSize(kReceivedAtMost * max_message_bytes);
  // An answer to what has been committed must not fail: it may be larger than the request was.
  builder->SetMaxSendMessageSize(-1);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_calls_per_connection);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, options.max_metadata_bytes);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                              Milliseconds(options.max_idle));
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                              Milliseconds(options.max_handshake));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.ping_period));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.max_ping_answer));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                              Milliseconds(options.min_pause_of_pings));
  builder->AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 1);
  // gRPC decompresses a message whole, beside its quota, before it compares the size: half a
  // megabyte could take half a gigabyte.
  for (const grpc_compression_algorithm each : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder->SetCompressionAlgorithmSupportStatus(each, false);
  }
  grpc::ResourceQuota quota("slipstream");
  quota.Resize(static_cast<size_t>(options.grpc_bytes()));
  // Reflection, which asks for no token, holds a thread as long as its caller likes. One thread
  // more waits at each queue.
  const int queues = static_cast<int>(gpr_cpu_num_cores());
  builder->SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, queues);
  quota.SetMaxThreads(queues + options.max_reflections);
  builder->SetResourceQuota(quota);
}

// By the monotonic clock.
gpr_timespec TimeIn(absl::Duration duration) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(absl::ToInt64Milliseconds(duration), GPR_TIMESPAN));
}

}  // namespace

absl::Status Server::CheckAddress(const ServerOptions& options) {
  return CheckedAddress(options).status();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerOptions& options, Service* service,
    const std::vector<grpc::Service*>& extra_services) {
  SLIPSTREAM_ASSIGN_OR_RETURN(HostAndPort address, CheckedAddress(options));
  // Debian's Abseil checks every lock of gRPC for deadlock cycles, which costs more than locking.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  std::unique_ptr<Server> result(new Server);
  result->service_ = service;
  result->budget_ = std::make_unique<MemoryBudget>(options.request_bytes());
  result->idle_uploads_ = std::make_unique<IdleUploads>(options.max_upload_idle);
  if (options.quotas != nullptr) result->rates_ = std::make_unique<CallRates>(options.quotas);
  result->adapter_ =
      MakeOptimizationAdapter(service, {.under_way = &result->under_way_,
                                        .message_bytes = service->options().max_message_bytes,
                                        .budget = result->budget_.get(),
                                        .idle_uploads = result->idle_uploads_.get(),
                                        .monitor = options.monitor,
                                        .admission = {options.gate, result->rates_.get()}});
  grpc::ServerBuilder builder;
  Configure(options, service->options().max_message_bytes, &builder);
  SLIPSTREAM_ASSIGN_OR_RETURN(ListeningSockets sockets, ListeningSockets::At(address));
  address.port = sockets.port();
  result->listener_ = std::make_unique<Listener>(
      std::move(sockets),
      ListenerOptions{.max_connections = options.max_connections,
                      .max_connections_per_address = options.max_connections_per_address,
                      .on_refused = options.on_refused});
  if (options.tls.is_set()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(TlsTexts texts, ReadTlsFiles(options.tls));
    result->tls_ = std::make_shared<ServedTls>(std::move(texts));
  }
  result->acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      MakeServerCredentials(result->tls_));
  const auto lasting_calls = std::make_shared<LastingCalls>();
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> counting;
  counting.push_back(Counting(lasting_calls));
  builder.experimental().SetInterceptorCreators(std::move(counting));
  result->unknown_methods_ =
      std::make_unique<UnknownMethods>(options.monitor, service->options().version);
  builder.RegisterCallbackGenericService(result->unknown_methods_.get());
  builder.RegisterService(result->adapter_.get());
  for (grpc::Service* extra : extra_services) builder.RegisterService(extra);
  // Never undone: when it is shut down, gRPC 1.51 waits for ever for a thread that it once could
  // not start.
  grpc_init();
  result->server_ = builder.BuildAndStart();
  if (result->server_ == nullptr) {
    return absl::InternalError(
        "gRPC does not start; the warnings that it logged before this say why");
  }
  result->listener_->Start([acceptor = result->acceptor_.get()](int connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.fd = connection;
    ExpectHandshakeWith(PeerOf(connection));
    acceptor->HandleNewConnection(&parameters);
  });
  const auto close = [told = options.on_refused, listener = result->listener_.get(),
                      closed = &result->closed_connections_](const Peer& peer,
                                                             const std::string& why) {
    if (!listener->Disconnect(peer)) return;
    ++*closed;
    told(absl::StrCat("closed a connection from ", AddressOf(peer), " that ", why));
  };
  result->call_guard_ =
      std::make_unique<CallGuard>(CallGuard::Limits{options.max_unended_calls_per_connection,
                                                    options.max_unended_calls},
                                  close);
  // A call that works for long is not taken for one that is stalled.
  result->stall_guard_ = std::make_unique<StallGuard>(
      std::max(options.max_upload_idle, 2 * service->options().suggest_budget), lasting_calls,
      [close](const Peer& peer) {
        close(peer, "leaves a message incomplete for longer than --upload-idle-seconds allows");
      });
  result->closing_ = std::make_unique<Executor>("closing", /*threads=*/1, /*max_waiting=*/1);
  result->SetHealthy(true);
  result->address_ = address.Text();
  return result;
}

Server::~Server() {
  if (server_ != nullptr) Drain(absl::ZeroDuration());
}

void Server::SetHealthy(bool healthy) {
  grpc::HealthCheckServiceInterface* const health = server_->GetHealthCheckService();
  health->SetServingStatus(healthy);
  health->SetServingStatus("slipstream.v1.OptimizationService", healthy);
}

void Server::Drain(absl::Duration grace) {
  const Deadline grace_ends = Deadline::In(grace);
  listener_->Close();
  call_guard_.reset();
  stall_guard_.reset();
  server_->GetHealthCheckService()->Shutdown();
  std::promise<void> closed;
  const std::future<void> all_closed = closed.get_future();
  closing_->Continue([this, &closed, deadline = TimeIn(grace)] {
    server_->Shutdown(deadline);
    closed.set_value();
  });
  while (under_way_ > 0 && !grace_ends.has_passed()) absl::SleepFor(absl::Milliseconds(5));
  service_->StopComputing();
  const std::chrono::milliseconds closing_time(absl::ToInt64Milliseconds(kClosingTime));
  if (all_closed.wait_for(closing_time) != std::future_status::ready) {
    grpc_server_cancel_all_calls(server_->c_server());
  }
  all_closed.wait();
  closing_.reset();
  server_->Wait();
  // The last calls have been answered, but threads may still free what these held, and have nothing
  // else to do.
  while (under_way_ > 0) absl::SleepFor(absl::Milliseconds(1));
  server_.reset();
}

}  // namespace slipstream
