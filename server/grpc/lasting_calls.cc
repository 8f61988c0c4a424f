#include "server/grpc/lasting_calls.h"

#include <arpa/inet.h>
#include <grpcpp/server_context.h>
#include <netinet/in.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace slipstream {
namespace {

using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;

// Counts one call for as long as it lives, and changes nothing.
class CountedCall : public grpc::experimental::Interceptor {
 public:
  CountedCall(std::shared_ptr<LastingCalls> calls, Peer peer)
      : calls_(std::move(calls)), peer_(std::move(peer)) {
    calls_->Begin(peer_);
  }
  ~CountedCall() override { calls_->End(peer_); }

  void Intercept(InterceptorBatchMethods* methods) override { methods->Proceed(); }

 private:
  const std::shared_ptr<LastingCalls> calls_;
  const Peer peer_;
};

class Factory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit Factory(std::shared_ptr<LastingCalls> calls) : calls_(std::move(calls)) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    const bool lasts = info->type() != ServerRpcInfo::Type::UNARY ||
                       absl::EndsWith(info->method(), "/BackupStore");
    return lasts ? new CountedCall(calls_, PeerNamed(info->server_context()->peer())) : nullptr;
  }

 private:
  const std::shared_ptr<LastingCalls> calls_;
};

}  // namespace

void LastingCalls::Begin(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  ++calls_[peer];
}

void LastingCalls::End(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(peer);
  if (--found->second == 0) calls_.erase(found);
}

int64_t LastingCalls::Of(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(peer);
  return found == calls_.end() ? 0 : found->second;
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> Counting(
    std::shared_ptr<LastingCalls> calls) {
  return std::make_unique<Factory>(std::move(calls));
}

Peer PeerNamed(const std::string& name) {
  const std::string plain = absl::StrReplaceAll(name, {{"%5B", "["}, {"%5D", "]"}});
  absl::string_view address = plain;
  const bool is_ip4 = absl::ConsumePrefix(&address, "ipv4:");
  if (!is_ip4 && !absl::ConsumePrefix(&address, "ipv6:")) return {};
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(address.substr(colon + 1), &port)) {
    return {};
  }
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) host = host.substr(0, host.find_first_of("%]"));
  std::string ip(is_ip4 ? sizeof(in_addr) : sizeof(in6_addr), '\0');
  const int family = is_ip4 ? AF_INET : AF_INET6;
  return inet_pton(family, std::string(host).c_str(), ip.data()) == 1 ? Peer{ip, port} : Peer{};
}

}  // namespace slipstream
