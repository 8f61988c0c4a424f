#include "server/socket/listening_sockets.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

absl::Status CannotListen(const HostAndPort& address, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot listen on ", address.Text(),
                   ": the port is taken, or the address is not one of this machine (", why, ")"));
}

// A listening socket, or -1 with errno.
int ListenAt(const addrinfo& at, int port) {
  const int made = socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  const int on = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_storage address = {};
  std::memcpy(&address, at.ai_addr, at.ai_addrlen);
  if (at.ai_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&address)->sin6_port = htons(static_cast<uint16_t>(port));
  } else {
    reinterpret_cast<sockaddr_in*>(&address)->sin_port = htons(static_cast<uint16_t>(port));
  }
  if (bind(made, reinterpret_cast<sockaddr*>(&address), at.ai_addrlen) == 0 &&
      listen(made, kMostUnacceptedConnections) == 0) {
    return made;
  }
  const int error = errno;
  close(made);
  errno = error;
  return -1;
}

// Whether a list up to an entry has its address already: /etc/hosts may give a name twice.
bool IsRepeated(const addrinfo* first, const addrinfo* entry) {
  for (const addrinfo* each = first; each != entry; each = each->ai_next) {
    if (each->ai_addrlen == entry->ai_addrlen &&
        std::memcmp(each->ai_addr, entry->ai_addr, entry->ai_addrlen) == 0) {
      return true;
    }
  }
  return false;
}

int PortOf(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

bool IsInBrackets(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']';
}

std::string WithoutBrackets(const std::string& host) {
  return IsInBrackets(host) ? host.substr(1, host.size() - 2) : host;
}

// Without brackets; it may have a scope, as in fe80::1%eth0.
bool IsIp6(const std::string& host) {
  in6_addr address = {};
  return inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &address) == 1;
}

}  // namespace

std::string HostAndPort::Text() const { return absl::StrCat(host, ":", port); }

absl::StatusOr<HostAndPort> ParseHostAndPort(absl::string_view field, const std::string& text) {
  const size_t colon = std::min(text.rfind(':'), text.size());
  HostAndPort address = {text.substr(0, colon)};
  // ::1:7411 could be an address as a whole, but a port has to be somewhere.
  if (IsIp6(address.host)) address.host = absl::StrCat("[", address.host, "]");
  const bool is_clear = IsInBrackets(address.host) || !absl::StrContains(address.host, ':');
  if (!address.host.empty() && is_clear && colon < text.size() &&
      absl::SimpleAtoi(text.substr(colon + 1), &address.port) && address.port >= 0 &&
      address.port <= 65535) {
    return address;
  }
  return InvalidField(field, text, "host:port, such as 127.0.0.1:7411 or [::1]:7411");
}

absl::StatusOr<ListeningSockets> ListeningSockets::At(const HostAndPort& address) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(WithoutBrackets(address.host).c_str(), nullptr, &hints, &found);
  if (error != 0) return CannotListen(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  ListeningSockets sockets;
  sockets.port_ = address.port;
  int failure = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    if (IsRepeated(found, at)) continue;
    const int made = ListenAt(*at, sockets.port_);
    if (made < 0) {
      failure = errno;
      // Where there is no IPv6, a name may have an address of it nevertheless.
      if (failure == EADDRNOTAVAIL || failure == EAFNOSUPPORT) continue;
      return CannotListen(address, std::strerror(failure));
    }
    sockets.descriptors_.push_back(made);
    sockets.port_ = PortOf(made);
  }
  if (sockets.descriptors_.empty()) return CannotListen(address, std::strerror(failure));
  return sockets;
}

ListeningSockets::ListeningSockets(ListeningSockets&& other) noexcept
    : descriptors_(std::exchange(other.descriptors_, {})), port_(other.port_) {}

ListeningSockets& ListeningSockets::operator=(ListeningSockets&& other) noexcept {
  std::swap(descriptors_, other.descriptors_);
  std::swap(port_, other.port_);
  return *this;
}

void ListeningSockets::WaitForConnections(
    int wake, absl::FunctionRef<void(int descriptor)> accept) const {
  std::vector<pollfd> events = {{wake, POLLIN, 0}};
  for (const int each : descriptors_) events.push_back({each, POLLIN, 0});
  while (true) {
    poll(events.data(), events.size(), -1);
    if (events[0].revents != 0) return;
    for (size_t i = 1; i < events.size(); ++i) {
      if (events[i].revents != 0) accept(events[i].fd);
    }
  }
}

void ListeningSockets::Close() {
  for (const int each : descriptors_) close(each);
  descriptors_.clear();
}

}  // namespace slipstream
