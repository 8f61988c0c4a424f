#include "server/grpc/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"

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

void SetOption(int socket, int level, int option) {
  const int on = 1;
  setsockopt(socket, level, option, &on, sizeof(on));
}

bool IsOutOfDescriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Listener::Listener(ListeningSockets sockets, ListenerOptions options)
    : options_(std::move(options)),
      sockets_(std::move(sockets)),
      open_(options_.max_connections_per_address) {}

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
  sockets_.Close();
  for (int* each : {&wake_, &spare_}) {
    if (*each >= 0) close(std::exchange(*each, -1));
  }
}

void Listener::AcceptUntilClosed() {
  sockets_.WaitForConnections(wake_, [this](int socket) {
    OrOutOfMemory([&] {
      AcceptOne(socket);
      return absl::OkStatus();
    }).IgnoreError();
  });
}

void Listener::AcceptOne(int socket) {
  const int connection = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) {
    if (IsOutOfDescriptors(errno)) RefuseWithSpare(socket);
    return;
  }
  if (connection >= most_) {
    close(connection);
    return NoteTooMany();
  }
  const absl::StatusOr<bool> is_taken = OrOutOfMemory([&]() -> absl::StatusOr<bool> {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool is_admitted, Admit(connection));
    if (!is_admitted) return false;
    SetOption(connection, IPPROTO_TCP, TCP_NODELAY);
    take_(connection);
    return true;
  });
  if (!is_taken.value_or(false)) close(connection);
}

absl::StatusOr<bool> Listener::Admit(int connection) {
  const Peer peer = PeerOf(connection);
  if (peer.ip.empty()) return false;  // Its caller has reset it.
  if (open_.Add(connection, peer)) return true;
  NoteRefused(Limit::kOfAnAddress, absl::StrCat("of ", AddressOf(peer)),
              absl::StrCat("--max-connections-per-address ", options_.max_connections_per_address));
  return false;
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
