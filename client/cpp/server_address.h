// The server's address as people write it.
#ifndef SLIPSTREAM_CLIENT_CPP_SERVER_ADDRESS_H_
#define SLIPSTREAM_CLIENT_CPP_SERVER_ADDRESS_H_

#include <string>

#include "absl/status/status.h"

namespace slipstream::client_internal {

// The address with the port of kDefaultAddress where it is a host without one: "127.0.0.1:7411" for
// "127.0.0.1", "[::1]:7411" for "::1". Others, such as "unix:path", stay as they are.
std::string WithPort(const std::string& address);

// INVALID_ARGUMENT for what is no address, such as one with a port that there is not, and for an
// address of IPv6 without brackets that ends as the default port does: nobody can tell whether it
// has one.
absl::Status CheckAddress(const std::string& address);

// Whether it is host:port, rather than of a form that only gRPC takes apart.
bool IsHostWithPort(const std::string& address);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_SERVER_ADDRESS_H_
