// Tries out how a server speaks, by a handshake like gRPC's, which tells little of why it failed.
#ifndef SLIPSTREAM_CLIENT_CPP_TLS_PROBE_H_
#define SLIPSTREAM_CLIENT_CPP_TLS_PROBE_H_

#include <chrono>
#include <string>
#include <vector>

#include "slipstream/client_options.h"

namespace slipstream::client_internal {

// What was found about a server.
struct TlsFindings {
  // How it speaks. kUnknown: it cannot be reached, or it said nothing that tells.
  enum class Speech { kUnknown, kPlaintext, kTls };
  Speech speech = Speech::kUnknown;
  // With TLS and a `ca`: why its certificate is not trusted, as OpenSSL's X509_V_ERR_*; X509_V_OK
  // if it is or was not looked at.
  int distrust = 0;
  // These describe the certificate that is not trusted: whether it is the server's own or one that
  // signs it, when it begins and ends, and which hosts it is for, as far as it says so.
  bool is_own = true;
  std::string begin = {};
  std::string end = {};
  std::vector<std::string> names = {};
  // Whether the server asked for the caller's certificate.
  bool asks_for_certificate = false;
  // Whether the server ended the connection, instead of starting HTTP/2 or being late.
  bool hangs_up = false;
};

// Connects to the server of `options`, whose address must be host:port, as they say: with TLS if
// they have a `ca`. No longer than `patience`, but for looking up a name.
TlsFindings ProbeServer(const ClientOptions& options, std::chrono::nanoseconds patience);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_TLS_PROBE_H_
