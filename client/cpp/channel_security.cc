#include "client/cpp/channel_security.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/server_address.h"

namespace slipstream::client_internal {
namespace {

constexpr char kSystemRoots[] = "system";

void TakeFromEnvironment(const char* name, std::string* value) {
  if (!value->empty()) return;
  if (const char* const set = std::getenv(name)) *value = set;
}

absl::StatusOr<std::string> ReadPem(const char* option, const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in && text.find("-----BEGIN ") != std::string::npos) return text;
  return absl::InvalidArgumentError(
      absl::StrCat(option, " is ", path, ", must be a file in PEM form that can be read"));
}

}  // namespace

ClientOptions WithEnvironment(ClientOptions options) {
  TakeFromEnvironment("SLIPSTREAM_ADDRESS", &options.address);
  options.address = options.address.empty() ? kDefaultAddress : WithPort(options.address);
  TakeFromEnvironment("SLIPSTREAM_WORKER", &options.worker);
  TakeFromEnvironment("SLIPSTREAM_TOKEN", &options.token);
  TakeFromEnvironment("SLIPSTREAM_CA", &options.ca);
  TakeFromEnvironment("SLIPSTREAM_CERTIFICATE", &options.certificate);
  TakeFromEnvironment("SLIPSTREAM_KEY", &options.key);
  return options;
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const ClientOptions& options) {
  if (options.ca.empty() && options.certificate.empty() && options.key.empty()) {
    return grpc::InsecureChannelCredentials();
  }
  if (options.ca.empty() || options.certificate.empty() != options.key.empty()) {
    return absl::InvalidArgumentError(
        "certificate and key need each other, and ca, by which the server's is checked");
  }
  grpc::SslCredentialsOptions files;
  const std::string roots = options.ca == kSystemRoots ? std::string() : options.ca;
  for (const auto& [name, path, text] :
       {std::tuple("ca", &roots, &files.pem_root_certs),
        std::tuple("certificate", &options.certificate, &files.pem_cert_chain),
        std::tuple("key", &options.key, &files.pem_private_key)}) {
    absl::StatusOr<std::string> read = ReadPem(name, *path);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  return grpc::SslCredentials(files);
}

}  // namespace slipstream::client_internal
