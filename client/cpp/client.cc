#include "slipstream/messages/client.h"

#include <chrono>
#include <memory>
#include <utility>

#include "client/cpp/caller.h"
#include "client/cpp/channel_security.h"
#include "client/cpp/home_process.h"
#include "client/cpp/tls_mistake.h"

namespace slipstream {

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    ClientOptions options, std::shared_ptr<grpc::ChannelCredentials> credentials) {
  options = client_internal::WithEnvironment(std::move(options));
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  client_internal::Diagnosis diagnosis;
  client_internal::MakeCredentials make = [credentials] { return credentials; };
  if (credentials == nullptr) {
    const auto made = client_internal::MakeChannelCredentials(options);
    if (!made.ok()) return made.status();
    make = [options, first = *made]() mutable -> std::shared_ptr<grpc::ChannelCredentials> {
      if (first != nullptr) return std::exchange(first, nullptr);
      return client_internal::MakeChannelCredentials(options).value_or(nullptr);
    };
    diagnosis = [options](std::chrono::nanoseconds patience) {
      return client_internal::FindTlsMistake(options, patience);
    };
  }
  auto caller = std::make_unique<client_internal::Caller>(options, std::move(make),
                                                          std::move(diagnosis));
  return std::unique_ptr<Client>(new Client(options, std::move(caller)));
}

Client::Client(const ClientOptions& options, std::unique_ptr<client_internal::Caller> caller)
    : options_(options), caller_(std::move(caller)) {}

Client::~Client() {
  if (!caller_->IsOfThisProcess()) client_internal::LeaveBehind(std::move(caller_));
}

}  // namespace slipstream
