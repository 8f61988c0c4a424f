#include "server/grpc/transport_security.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// With OpenSSL's reason for its latest failure.
absl::Status Wrong(const std::string& what, const std::string& file) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return absl::FailedPreconditionError(absl::StrCat(
      what, " ", file, " cannot be used: ", reason == nullptr ? "it is not sound" : reason));
}

absl::Status CheckInContext(const TlsFiles& files, SSL_CTX* context) {
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return Wrong("the TLS certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Wrong("the TLS key", files.key);
  }
  if (!files.client_ca.empty() &&
      SSL_CTX_load_verify_locations(context, files.client_ca.c_str(), nullptr) != 1) {
    return Wrong("the certificates that sign callers'", files.client_ca);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTlsFiles(const TlsFiles& files) {
  if (!files.is_set()) return absl::OkStatus();
  if (files.certificate.empty() || files.key.empty()) {
    return absl::FailedPreconditionError("TLS needs both --tls-certificate and --tls-key");
  }
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_server_method()),
                                                             SSL_CTX_free);
  if (context == nullptr) return absl::InternalError("OpenSSL gives no context");
  return CheckInContext(files, context.get());
}

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const TlsFiles& files) {
  if (!files.is_set()) return grpc::InsecureServerCredentials();
  using grpc::experimental::FileWatcherCertificateProvider;
  const auto provider = std::make_shared<FileWatcherCertificateProvider>(
      files.key, files.certificate, files.client_ca, files.refresh_seconds);
  grpc::experimental::TlsServerCredentialsOptions options(provider);
  options.watch_identity_key_cert_pairs();
  if (files.client_ca.empty()) {
    options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  } else {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace slipstream
