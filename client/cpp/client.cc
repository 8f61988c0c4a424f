#include "slipstream/messages/client.h"

#include <chrono>
#include <memory>
#include <utility>

#include "client/cpp/caller.h"
#include "client/cpp/channel_security.h"
#include "client/cpp/tls_mistake.h"

namespace slipstream {

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    ClientOptions options, std::shared_ptr<grpc::ChannelCredentials> credentials) {
  options = client_internal::WithEnvironment(std::move(options));
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  client_internal::Diagnosis diagnosis;
  if (credentials == nullptr) {
    absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> made =
        client_internal::MakeChannelCredentials(options);
    if (!made.ok()) return made.status();
    credentials = *std::move(made);
    diagnosis = [options](std::chrono::nanoseconds patience) {
      return client_internal::FindTlsMistake(options, patience);
    };
  }
  auto caller = std::make_unique<client_internal::Caller>(options, std::move(credentials),
                                                          std::move(diagnosis));
  return std::unique_ptr<Client>(new Client(options, std::move(caller)));
}

Client::Client(const ClientOptions& options, std::unique_ptr<client_internal::Caller> caller)
    : options_(options), caller_(std::move(caller)) {}

Client::~Client() = default;

}  // namespace slipstream
