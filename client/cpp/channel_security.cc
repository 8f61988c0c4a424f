#include "client/cpp/channel_security.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cpp/pem_files.h"
#include "client/cpp/security_names.h"
#include "client/cpp/server_address.h"

namespace slipstream::client_internal {
namespace {

void TakeFromEnvironment(const char* name, std::string* value) {
  if (!value->empty()) return;
  if (const char* const set = std::getenv(name)) *value = set;
}

// A file of TLS as people know it.
struct PemFile {
  const char* name;
  const std::string& path;
  const char* content;  // Completes "give a file in PEM form with ...".
};

absl::Status Unusable(const PemFile& file, const absl::Status& reason) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the file ", file.path, " cannot be used as ", file.name, ": ",
      std::string(reason.message()), "; give a file in PEM form with ", file.content));
}

absl::StatusOr<std::string> PemTextOf(const PemFile& file) {
  absl::StatusOr<std::string> text = pem::ReadText(file.path);
  if (!text.ok()) return Unusable(file, text.status());
  return text;
}

absl::StatusOr<std::vector<pem::Certificate>> CertificatesOf(const PemFile& file,
                                                             const std::string& text) {
  absl::StatusOr<std::vector<pem::Certificate>> found = pem::CertificatesIn(text);
  if (!found.ok()) return Unusable(file, found.status());
  return found;
}

absl::Status ReadRoots(const ClientOptions& options, grpc::SslCredentialsOptions* texts) {
  if (options.ca == kSystemRoots) return absl::OkStatus();
  const PemFile file = {kCaName, options.ca,
                        "the certificates that sign the server's, or \"system\" for those that "
                        "the system trusts"};
  absl::StatusOr<std::string> text = PemTextOf(file);
  if (!text.ok()) return text.status();
  texts->pem_root_certs = *std::move(text);
  return CertificatesOf(file, texts->pem_root_certs).status();
}

absl::Status ReadOwn(const ClientOptions& options, grpc::SslCredentialsOptions* texts) {
  if (options.certificate.empty()) return absl::OkStatus();
  const PemFile certificate = {kCertificateName, options.certificate, "your own certificate"};
  const PemFile key = {kKeyName, options.key, "your certificate's private key, unencrypted"};
  absl::StatusOr<std::string> chain = PemTextOf(certificate);
  if (!chain.ok()) return chain.status();
  const absl::StatusOr<std::vector<pem::Certificate>> own = CertificatesOf(certificate, *chain);
  if (!own.ok()) return own.status();
  const absl::Status usable = pem::CheckUsable(own->front().get());
  if (!usable.ok()) return Unusable(certificate, usable);
  absl::StatusOr<std::string> secret = PemTextOf(key);
  if (!secret.ok()) return secret.status();
  const absl::StatusOr<pem::PrivateKey> read = pem::KeyIn(*secret);
  if (!read.ok()) return Unusable(key, read.status());
  const absl::Status fit = pem::CheckFit(own->front().get(), read->get());
  if (!fit.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the key in ", options.key, " does not belong to the certificate in ", options.certificate,
        " (", std::string(fit.message()), "); give a ", kCertificateName, " and a ", kKeyName,
        " that were made together"));
  }
  texts->pem_cert_chain = *std::move(chain);
  texts->pem_private_key = *std::move(secret);
  return absl::OkStatus();
}

absl::Status Missing(const char* given, const char* missing, const char* what) {
  return absl::InvalidArgumentError(
      absl::StrCat(given, " is given without ", missing, ": give ", what, " too"));
}

}  // namespace

ClientOptions WithEnvironment(ClientOptions options) {
  TakeFromEnvironment("SLIPSTREAM_ADDRESS", &options.address);
  options.address = options.address.empty() ? kDefaultAddress : WithPort(options.address);
  TakeFromEnvironment("SLIPSTREAM_WORKER", &options.worker);
  TakeFromEnvironment("SLIPSTREAM_PROJECT", &options.project);
  options.project = std::string(absl::StripPrefix(options.project, "projects/"));
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
  if (options.key.empty() && !options.certificate.empty()) {
    return Missing(kCertificateName, kKeyName, "the certificate's private key");
  }
  if (options.certificate.empty() && !options.key.empty()) {
    return Missing(kKeyName, kCertificateName, "the certificate that it belongs to");
  }
  if (options.ca.empty()) {
    return Missing(kCertificateName, kCaName,
                   "the certificates that sign the server's, or \"system\",");
  }
  grpc::SslCredentialsOptions texts;
  if (absl::Status status = ReadRoots(options, &texts); !status.ok()) return status;
  if (absl::Status status = ReadOwn(options, &texts); !status.ok()) return status;
  return grpc::SslCredentials(texts);
}

}  // namespace slipstream::client_internal
