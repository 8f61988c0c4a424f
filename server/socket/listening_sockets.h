// Sockets that listen at host:port, whatever the host: an address of IPv4, one of IPv6 in brackets
// as in [::1]:7411, or a name with addresses of both.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(const HostAndPort address, ParseHostAndPort("listen", text));
//   SLIPSTREAM_ASSIGN_OR_RETURN(ListeningSockets sockets, ListeningSockets::At(address));
#ifndef SLIPSTREAM_SERVER_SOCKET_LISTENING_SOCKETS_H_
#define SLIPSTREAM_SERVER_SOCKET_LISTENING_SOCKETS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// Connections that may wait to be accepted.
inline constexpr int kMostUnacceptedConnections = 1024;

struct HostAndPort {
  std::string host;  // As it was written, but an address of IPv6 always has brackets.
  int port = 0;

  std::string Text() const;
};

// What follows the last colon is the port, also in ::1:7411. INVALID_ARGUMENT, with the violation
// of this field.
absl::StatusOr<HostAndPort> ParseHostAndPort(absl::string_view field, const std::string& text);

// Movable; not thread-safe.
class ListeningSockets {
 public:
  // At all addresses of the host; port 0 picks a free one. They do not block.
  // FAILED_PRECONDITION: the port is taken, or the host is not of this machine.
  static absl::StatusOr<ListeningSockets> At(const HostAndPort& address);

  ListeningSockets(ListeningSockets&& other) noexcept;
  ListeningSockets& operator=(ListeningSockets&& other) noexcept;
  ~ListeningSockets() { Close(); }

  int port() const { return port_; }
  // Calls `accept` with each descriptor at which a connection waits, until `wake` can be read.
  void WaitForConnections(int wake, absl::FunctionRef<void(int descriptor)> accept) const;
  // Frees the addresses.
  void Close();

 private:
  ListeningSockets() = default;

  std::vector<int> descriptors_;
  int port_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SOCKET_LISTENING_SOCKETS_H_
