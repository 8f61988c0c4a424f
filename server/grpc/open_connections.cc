#include "server/grpc/open_connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <utility>

#include "absl/functional/function_ref.h"

namespace slipstream {
namespace {

constexpr size_t kBytesOfIp4 = 4;
constexpr size_t kBytesOfANetwork = 8;
// Between two looks for closed connections, for each descriptor: about seventy times what a look
// takes, so that an address that goes on connecting does not keep the others waiting.
constexpr std::chrono::microseconds kPausePerDescriptor(20);

// Wakes readers of the connection, and tells the other end, which may be sending more
// than is read.
void Reset(int connection) {
  shutdown(connection, SHUT_RDWR);
  sockaddr nobody = {};
  nobody.sa_family = AF_UNSPEC;
  (void)connect(connection, &nobody, sizeof(nobody));
}

// Resets the connections to those peers for which `is_meant` is true, and returns how many. The
// kernel may have given a descriptor to another connection since, which is left alone.
int ResetThose(const std::vector<Peer>& peers, absl::FunctionRef<bool(const Peer&)> is_meant) {
  int count = 0;
  for (size_t i = 0; i < peers.size(); ++i) {
    const int connection = static_cast<int>(i);
    if (peers[i].port == 0 || !is_meant(peers[i]) || PeerOf(connection) != peers[i]) continue;
    Reset(connection);
    ++count;
  }
  return count;
}

std::string Words(int family, const std::string& bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(family, bytes.data(), text, sizeof(text));
  return text;
}

// The address of IPv4 that one of IPv6 may stand for (RFC 4291, section 2.5.5.2).
std::string WithoutIp4Within(const std::string& ip) {
  const std::string prefix = std::string(10, '\0') + "\xff\xff";
  return ip.starts_with(prefix) ? ip.substr(prefix.size()) : ip;
}

// The bytes that identify an address.
std::string NetworkOf(const Peer& peer) {
  return peer.ip.size() == sizeof(in6_addr) ? peer.ip.substr(0, kBytesOfANetwork) : peer.ip;
}

}  // namespace

Peer PeerOf(int connection) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (getpeername(connection, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  if (address.ss_family == AF_INET6) {
    const auto* ip6 = reinterpret_cast<const sockaddr_in6*>(&address);
    const std::string ip(reinterpret_cast<const char*>(&ip6->sin6_addr), sizeof(ip6->sin6_addr));
    return {WithoutIp4Within(ip), ntohs(ip6->sin6_port)};
  }
  if (address.ss_family != AF_INET) return {};
  const auto* ip4 = reinterpret_cast<const sockaddr_in*>(&address);
  return {std::string(reinterpret_cast<const char*>(&ip4->sin_addr), sizeof(ip4->sin_addr)),
          ntohs(ip4->sin_port)};
}

std::string AddressOf(const Peer& peer) {
  std::string network = NetworkOf(peer);
  if (network.empty()) return {};
  if (network.size() == kBytesOfIp4) return Words(AF_INET, network);
  network.resize(sizeof(in6_addr), '\0');
  return Words(AF_INET6, network) + "/64";
}

bool OpenConnections::Add(int connection, const Peer& peer) {
  const auto place = static_cast<size_t>(connection);
  const std::string network = NetworkOf(peer);
  const std::lock_guard lock(mutex_);
  if (peers_.size() <= place) peers_.resize(place + 1);
  Forget(place);
  if (counts_[network] >= most_of_an_address_) ForgetClosed();
  if (counts_[network] >= most_of_an_address_) return false;
  peers_[place] = peer;
  ++counts_[network];
  return true;
}

bool OpenConnections::Disconnect(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  return ResetThose(peers_, [&peer](const Peer& each) { return each == peer; }) > 0;
}

int OpenConnections::DisconnectAll() {
  const std::lock_guard lock(mutex_);
  return ResetThose(peers_, [](const Peer&) { return true; });
}

void OpenConnections::Forget(size_t connection) {
  const Peer before = std::exchange(peers_[connection], {});
  if (before.ip.empty()) return;
  const auto count = counts_.find(NetworkOf(before));
  if (--count->second == 0) counts_.erase(count);
}

void OpenConnections::ForgetClosed() {
  if (now_() < look_at_) return;
  for (size_t i = 0; i < peers_.size(); ++i) {
    if (!peers_[i].ip.empty() && PeerOf(static_cast<int>(i)) != peers_[i]) Forget(i);
  }
  look_at_ = now_() + kPausePerDescriptor * static_cast<int64_t>(peers_.size());
}

}  // namespace slipstream
