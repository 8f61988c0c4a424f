// Tracks accepted connections; others may close them. The system tells whether a descriptor
// is still open.
#ifndef SLIPSTREAM_SERVER_GRPC_OPEN_CONNECTIONS_H_
#define SLIPSTREAM_SERVER_GRPC_OPEN_CONNECTIONS_H_

#include <compare>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
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
  explicit OpenConnections(int most_of_an_address) : most_of_an_address_(most_of_an_address) {}

  // Notes a connection; returns false, and does not, if its address has as many as it may have.
  bool Add(int connection, const Peer& peer);

  // Ends the connection with this other end, and returns whether there was one: its owner sees
  // that it has been closed.
  bool Disconnect(const Peer& peer);
  // Ends all connections; how many.
  int DisconnectAll();

 private:
  // Those with the mutex held.
  void Forget(size_t connection);
  void ForgetClosed(const std::string& network);

  const int most_of_an_address_;
  std::mutex mutex_;
  std::vector<Peer> peers_;            // By descriptor; some have been closed.
  std::map<std::string, int> counts_;  // Of peers_, by the bytes of their address.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_OPEN_CONNECTIONS_H_
