#include "server/grpc/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace slipstream {
namespace {

// Descriptors for files and for gRPC's own use.
constexpr int kOtherDescriptors = 64;
constexpr absl::Duration kBetweenMessages = absl::Seconds(10);
constexpr int kPauseMilliseconds = 50;

int OpenAny() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

// Returns the limit.
int64_t RaiseDescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kEnough = 1 << 30;
  return static_cast<int64_t>(std::min(limit.rlim_cur, kEnough));
}

absl::Status CannotListen(const std::string& host, int port, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot listen on ", host, ":", port,
                   ": the port is taken, or the address is not one of this machine (", why, ")"));
}

void SetOption(int socket, int level, int option) {
  const int on = 1;
  setsockopt(socket, level, option, &on, sizeof(on));
}

// A listening socket, or -1 with errno.
int ListenAt(const addrinfo& at, int port) {
  const int made = socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  SetOption(made, SOL_SOCKET, SO_REUSEADDR);
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

int PortOf(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

// An IPv6 address is written in brackets before a port.
std::string WithoutBrackets(const std::string& host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.substr(1, host.size() - 2);
  }
  return host;
}

bool IsOutOfDescriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Listener::Listener(ListenerOptions options)
    : options_(std::move(options)), open_(options_.max_connections_per_address) {}

absl::StatusOr<std::unique_ptr<Listener>> Listener::Listen(const std::string& host, int port,
                                                           ListenerOptions options) {
  std::unique_ptr<Listener> listener(new Listener(std::move(options)));
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(WithoutBrackets(host).c_str(), nullptr, &hints, &found);
  if (error != 0) return CannotListen(host, port, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  listener->port_ = port;
  int failure = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int made = ListenAt(*at, listener->port_);
    if (made < 0) {
      failure = errno;
      // Where there is no IPv6, a name may have an address of it nevertheless.
      if (failure == EADDRNOTAVAIL || failure == EAFNOSUPPORT) continue;
      return CannotListen(host, port, std::strerror(failure));
    }
    listener->sockets_.push_back(made);
    listener->port_ = PortOf(made);
  }
  if (listener->sockets_.empty()) return CannotListen(host, port, std::strerror(failure));
  return listener;
}

Listener::~Listener() { Close(); }

void Listener::Start(std::function<void(int)> take) {
  take_ = std::move(take);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int64_t limit = RaiseDescriptorLimit();
  spare_ = OpenAny();
  most_ = static_cast<int>(std::min<int64_t>(int64_t{spare_} + 1 + options_.max_connections,
                                             std::max<int64_t>(limit - kOtherDescriptors, 1)));
  thread_ = std::thread([this] { AcceptUntilClosed(); });
}

void Listener::Close() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    (void)!write(wake_, &one, sizeof(one));
    thread_.join();
  }
  for (const int each : sockets_) close(each);
  sockets_.clear();
  for (int* each : {&wake_, &spare_}) {
    if (*each >= 0) close(std::exchange(*each, -1));
  }
}

void Listener::AcceptUntilClosed() {
  std::vector<pollfd> events = {{wake_, POLLIN, 0}};
  for (const int each : sockets_) events.push_back({each, POLLIN, 0});
  while (true) {
    poll(events.data(), events.size(), -1);
    if (events[0].revents != 0) return;
    for (size_t i = 1; i < events.size(); ++i) {
      if (events[i].revents != 0) AcceptOne(events[i].fd);
    }
  }
}

void Listener::AcceptOne(int socket) {
  const int connection = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) {
    if (IsOutOfDescriptors(errno)) RefuseWithSpare(socket);
    return;
  }
  if (connection >= most_) {
    NoteTooMany();
    close(connection);
    return;
  }
  const Peer peer = PeerOf(connection);
  if (!open_.Add(connection, peer)) {
    NoteRefused(
        Limit::kOfAnAddress, absl::StrCat("of ", AddressOf(peer)),
        absl::StrCat("--max-connections-per-address ", options_.max_connections_per_address));
    close(connection);
    return;
  }
  SetOption(connection, IPPROTO_TCP, TCP_NODELAY);
  take_(connection);
}

// Connections that nobody accepts would wait, and keep poll from waiting.
void Listener::RefuseWithSpare(int socket) {
  if (spare_ >= 0) close(std::exchange(spare_, -1));
  const int connection = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection >= 0) close(connection);
  spare_ = OpenAny();
  NoteTooMany();
  if (connection < 0) poll(nullptr, 0, kPauseMilliseconds);
}

void Listener::NoteTooMany() {
  NoteRefused(Limit::kConnections, "in all",
              absl::StrCat("--max-connections ", options_.max_connections,
                           ", and the limit of open files"));
}

void Listener::NoteRefused(Limit limit, const std::string& which, const std::string& flag) {
  Refusals& refusals = refusals_[static_cast<size_t>(limit)];
  const int64_t count = ++refusals.count;
  if (!refusals.tell_at.has_passed()) return;
  refusals.tell_at = Deadline::In(kBetweenMessages);
  options_.on_refused(absl::StrCat("refused ", count - std::exchange(refusals.told, count),
                                   " connections: as many ", which, " are open as are allowed (",
                                   flag, ")"));
}

}  // namespace slipstream
