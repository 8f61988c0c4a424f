// The server's address as people type it.
#ifndef SLIPSTREAM_CLIENT_CLI_SERVER_ADDRESS_H_
#define SLIPSTREAM_CLIENT_CLI_SERVER_ADDRESS_H_

#include <string>

namespace slipstream::cli {

// The address with the port of kDefaultAddress where it is a host without one: "127.0.0.1:7411" for
// "127.0.0.1", "[::1]:7411" for "::1". Others, such as "unix:path", stay as they are.
std::string WithPort(const std::string& address);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SERVER_ADDRESS_H_
