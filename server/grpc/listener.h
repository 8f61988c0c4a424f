// Listens on an address and hands its connections over, at most so many at a time, and at most so
// many of one address.
//
// gRPC's own listener never accepts again once the process has run out of file
// descriptors, and takes connections until then. This one refuses those beyond its
// limit by closing them at once, and goes on when others have ended.
//
//   Listener listener(std::move(sockets), options);
//   listener.Start([&](int connection) { ... });   // Owns the descriptor.
#ifndef SLIPSTREAM_SERVER_GRPC_LISTENER_H_
#define SLIPSTREAM_SERVER_GRPC_LISTENER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "server/grpc/open_connections.h"
#include "server/socket/listening_sockets.h"

namespace slipstream {

struct ListenerOptions {
  // Connections at a time, give or take a few. Lowered to what the process may have open.
  int max_connections;
  // Of one address, see AddressOf.
  int max_connections_per_address;
  // Told by the listener's thread of refused connections, at most once in ten seconds for each
  // limit.
  std::function<void(const std::string& text)> on_refused;
};

// Thread-safe, except that Start and Close are called in this order, and once.
class Listener {
 public:
  enum class Limit { kConnections, kOfAnAddress };
  static constexpr size_t kLimits = 2;

  Listener(ListeningSockets sockets, ListenerOptions options);
  ~Listener();

  // Connections that were refused, by Limit.
  int64_t refused(Limit limit) const { return refusals_[static_cast<size_t>(limit)].count; }

  // `take`, called by the listener's thread, owns the connection, which does not block, unless it
  // throws std::bad_alloc. Raises the process's limit of open files to what it may be raised to.
  void Start(std::function<void(int connection)> take);
  // As OpenConnections does.
  bool Disconnect(const Peer& peer) { return open_.Disconnect(peer); }
  int DisconnectAll() { return open_.DisconnectAll(); }
  // Accepts no more connections, and frees the address.
  void Close();

 private:
  struct Refusals {
    std::atomic<int64_t> count{0};
    // Those of the listener's thread.
    int64_t told = 0;
    Deadline tell_at = Deadline::Passed();
  };

  void AcceptUntilClosed();
  // Accepts or refuses one connection that waits at this socket.
  void AcceptOne(int socket);
  // Whether the connection may stay.
  absl::StatusOr<bool> Admit(int connection);
  // Makes room for a moment, to close a connection that cannot be taken.
  void RefuseWithSpare(int socket);
  void NoteTooMany();
  // `which` and `flag` name the limit.
  void NoteRefused(Limit limit, const std::string& which, const std::string& flag);

  const ListenerOptions options_;
  std::function<void(int)> take_;
  ListeningSockets sockets_;
  int wake_ = -1;   // An eventfd.
  int spare_ = -1;  // Kept for when no descriptor is left.
  int most_ = 0;    // Descriptors from this one on are refused: the system gives the lowest.
  OpenConnections open_;
  std::array<Refusals, kLimits> refusals_;
  std::thread thread_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_LISTENER_H_
