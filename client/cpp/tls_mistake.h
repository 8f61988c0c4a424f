// Tells callers of their mistakes about TLS, and of a server's.
#ifndef SLIPSTREAM_CLIENT_CPP_TLS_MISTAKE_H_
#define SLIPSTREAM_CLIENT_CPP_TLS_MISTAKE_H_

#include <chrono>
#include <string>

#include "client/cpp/tls_probe.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {

// What is wrong and what to do about it, which completes "cannot ... on ...: "; empty if the
// findings show no mistake.
std::string TlsMistake(const ClientOptions& options, const TlsFindings& findings);

// The same, of what a look at the server finds, which takes no longer than `patience`. Empty also
// for an address of another form than host:port.
std::string FindTlsMistake(const ClientOptions& options, std::chrono::nanoseconds patience);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_TLS_MISTAKE_H_
