#include "slipstream/client.h"

#include <utility>

#include "client/cpp/caller.h"

namespace slipstream {

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(ClientOptions options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  return std::unique_ptr<Client>(new Client(options));
}

Client::Client(const ClientOptions& options)
    : options_(options), caller_(std::make_unique<client_internal::Caller>(options)) {}

Client::~Client() = default;

}  // namespace slipstream
