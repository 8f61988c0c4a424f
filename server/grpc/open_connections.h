// Tracks accepted connections; others may close them. The system tells whether a descriptor
// is still open.
#ifndef SLIPSTREAM_SERVER_GRPC_OPEN_CONNECTIONS_H_
#define SLIPSTREAM_SERVER_GRPC_OPEN_CONNECTIONS_H_

#include <chrono>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace slipstream {

// The other end of a connection.
struct Peer {
  std::string ip;  // Four or sixteen bytes; of IPv4 four, also where IPv6 carries it.
  int port = 0;

  friend auto operator<=>(const Peer&, const Peer&) = default;
};

// Port 0 if the descriptor is not of a connection.
Peer PeerOf(int connection);

// The text that identifies an address: an address of IPv4, such as 192.0.2.1, or a network of
// IPv6, such as 2001:db8::/64, since one caller has all of it.
std::string AddressOf(const Peer& peer);

// Thread-safe.
class OpenConnections {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit OpenConnections(
      int most_of_an_address,
      std::function<Time()> now = [] { return std::chrono::steady_clock::now(); })
      : most_of_an_address_(most_of_an_address), now_(std::move(now)) {}

  // Notes a connection; returns false, and does not, if its address has as many as it may have.
  // Those that were closed a moment ago may still count: they are looked for at most once in 20 us
  // for each descriptor in use, as looking takes a system call for each.
  bool Add(int connection, const Peer& peer);

  // Ends the connection with this other end, and returns whether there was one: its owner sees
  // that it has been closed.
  bool Disconnect(const Peer& peer);
  // Ends all connections; how many.
  int DisconnectAll();

 private:
  // Those with the mutex held.
  void Forget(size_t connection);
  // Does nothing if it is too early to look again.
  void ForgetClosed();

  const int most_of_an_address_;
  const std::function<Time()> now_;
  std::mutex mutex_;
  std::vector<Peer> peers_;            // By descriptor; some have been closed.
  std::map<std::string, int> counts_;  // Of peers_, by the bytes of their address.
  Time look_at_ = Time::min();         // When closed ones may be looked for again.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_OPEN_CONNECTIONS_H_
