#include "client/cpp/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <utility>

#include "absl/strings/match.h"

namespace slipstream::client_internal {
namespace {

bool IsLoopback(const std::string& address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]");
}

grpc::ChannelArguments Arguments(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // With the global pool, Replace would get the same connection again.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // An HTTP proxy cannot reach this machine's loopback.
  if (IsLoopback(address)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Caller retries, and knows which calls are safe to repeat.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return arguments;
}

}  // namespace

bool Link::IsConnected() const { return channel->GetState(false) == GRPC_CHANNEL_READY; }

Connection::Connection(std::string address, MakeCredentials make_credentials)
    : address_(std::move(address)),
      make_credentials_(std::move(make_credentials)),
      link_(Open()) {}

std::shared_ptr<const Link> Connection::Open() {
  if (std::shared_ptr<grpc::ChannelCredentials> made = make_credentials_()) {
    credentials_ = std::move(made);
  }
  auto link = std::make_shared<Link>();
  link->channel = grpc::CreateCustomChannel(address_, credentials_, Arguments(address_));
  link->stub = v1::OptimizationService::NewStub(link->channel);
  return link;
}

std::shared_ptr<const Link> Connection::Current() {
  const std::lock_guard lock(mutex_);
  return link_;
}

void Connection::Replace(const Link& failed) {
  const std::lock_guard lock(mutex_);
  if (link_.get() == &failed) link_ = Open();
}

}  // namespace slipstream::client_internal
