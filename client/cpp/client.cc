#include "slipstream/messages/client.h"

#include <memory>
#include <utility>

#include "client/cpp/caller.h"
#include "client/cpp/channel_security.h"

namespace slipstream {

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    ClientOptions options, std::shared_ptr<grpc::ChannelCredentials> credentials) {
  options = client_internal::WithEnvironment(std::move(options));
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  if (credentials == nullptr) {
    absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> made =
        client_internal::MakeChannelCredentials(options);
    if (!made.ok()) return made.status();
    credentials = *std::move(made);
  }
  return std::unique_ptr<Client>(new Client(options, std::move(credentials)));
}

Client::Client(const ClientOptions& options, std::shared_ptr<grpc::ChannelCredentials> credentials)
    : options_(options),
      caller_(std::make_unique<client_internal::Caller>(options, std::move(credentials))) {}

Client::~Client() = default;

}  // namespace slipstream
