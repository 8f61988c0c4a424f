#include "client/cpp/probe_socket.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace slipstream::client_internal {
namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses AddressesOf(const std::string& host, const std::string& port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) found = nullptr;
  return {found, [](addrinfo* list) {
            if (list != nullptr) freeaddrinfo(list);
          }};
}

}  // namespace

ProbeSocket::ProbeSocket(const std::string& host, const std::string& port, Deadline deadline)
    : deadline_(deadline) {
  const Addresses addresses = AddressesOf(host, port);
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    descriptor_ = socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ < 0) continue;
    if (Connect(descriptor_, each->ai_addr, each->ai_addrlen)) return;
    close(std::exchange(descriptor_, -1));
  }
}

ProbeSocket::~ProbeSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ProbeSocket::Connect(int descriptor, const void* address, unsigned size) {
  if (connect(descriptor, static_cast<const sockaddr*>(address), size) == 0) return true;
  int error = 0;
  socklen_t error_size = sizeof(error);
  return errno == EINPROGRESS && WaitFor(POLLOUT) &&
         getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error == 0;
}

bool ProbeSocket::WaitFor(short event) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline_ - std::chrono::steady_clock::now());
  pollfd news = {descriptor_, event, 0};
  return poll(&news, 1, static_cast<int>(std::max<int64_t>(left.count(), 0))) > 0;
}

bool ProbeSocket::Send(const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t now = send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now > 0) {
      sent += static_cast<size_t>(now);
    } else if (errno != EINTR && (errno != EAGAIN || !WaitFor(POLLOUT))) {
      return false;
    }
  }
  return true;
}

std::string ProbeSocket::Receive() {
  char bytes[4096];
  has_waited_in_vain_ = !WaitFor(POLLIN);
  if (has_waited_in_vain_) return {};
  const ssize_t size = recv(descriptor_, bytes, sizeof(bytes), 0);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : std::string();
}

}  // namespace slipstream::client_internal
