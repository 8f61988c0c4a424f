// Listens on an address and hands its connections over, at most so many at a time.
//
// gRPC's own listener never accepts again once the process has run out of file
// descriptors, and takes connections until then. This one refuses those beyond its
// limit by closing them at once, and goes on when others have ended.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(auto listener, Listener::Listen("127.0.0.1", 7411, options));
//   listener->Start([&](int connection) { ... });   // Owns the descriptor.
#ifndef SLIPSTREAM_SERVER_GRPC_LISTENER_H_
#define SLIPSTREAM_SERVER_GRPC_LISTENER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/grpc/reset_guard.h"

namespace slipstream {

struct ListenerOptions {
  // Connections at a time, give or take a few. Lowered to what the process may have open.
  int max_connections = 10000;
  // Told by the listener's thread of refused connections, at most once in ten seconds.
  std::function<void(const std::string& text)> on_refused = [](const std::string&) {};
};

// Thread-safe, except that Start and Close are called in this order, and once.
class Listener {
 public:
  // Binds to all addresses of `host` ("[::1]" for IPv6); port 0 picks a free one. Raises
  // the process's limit of open files to what it may be raised to.
  // FAILED_PRECONDITION: the port is taken, or the host is not of this machine.
  static absl::StatusOr<std::unique_ptr<Listener>> Listen(const std::string& host, int port,
                                                          ListenerOptions options);
  ~Listener();

  int port() const { return port_; }

  // `take`, called by the listener's thread, owns the connection, which does not block.
  void Start(std::function<void(int connection)> take);
  // Ends the connection that has this other end, if there is one: whoever has taken it sees
  // that it has been closed.
  void Disconnect(const Peer& peer);
  // Accepts no more connections, and frees the address.
  void Close();

 private:
  explicit Listener(ListenerOptions options);

  void AcceptUntilClosed();
  // Accepts or refuses one connection that waits at this socket.
  void AcceptOne(int socket);
  // Makes room for a moment, to close a connection that cannot be taken.
  void RefuseWithSpare(int socket);
  void NoteRefused();

  const ListenerOptions options_;
  std::function<void(int)> take_;
  std::vector<int> sockets_;
  int port_ = 0;
  int wake_ = -1;   // An eventfd.
  int spare_ = -1;  // Kept for when no descriptor is left.
  int most_ = 0;    // Descriptors from this one on are refused: the system gives the lowest.
  int64_t refused_ = 0;
  std::mutex peers_mutex_;
  std::vector<Peer> peers_;  // By descriptor, of connections taken; some have been closed.
  absl::Time tell_at_ = absl::InfinitePast();
  std::thread thread_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_LISTENER_H_
