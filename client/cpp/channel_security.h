// How a client's connections are encrypted, and how it identifies itself.
#ifndef SLIPSTREAM_CLIENT_CPP_CHANNEL_SECURITY_H_
#define SLIPSTREAM_CLIENT_CPP_CHANNEL_SECURITY_H_

#include <grpcpp/security/credentials.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {

// The options, with those of the environment where they are empty, and the address with a port.
ClientOptions WithEnvironment(ClientOptions options);

// INVALID_ARGUMENT, saying what to give instead, for a file that cannot be read or has no
// certificate or no key, for a key that is another certificate's, and for a certificate without its
// key or without `ca`.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const ClientOptions& options);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_CHANNEL_SECURITY_H_
