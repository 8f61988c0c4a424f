#include "server/grpc/transport_security.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "server/file/regular_file.h"

namespace slipstream {
namespace {

using Certificate = std::unique_ptr<X509, void (*)(X509*)>;
using Input = std::unique_ptr<BIO, int (*)(BIO*)>;

// A file of TLS as people know it.
struct NamedFile {
  const char* what;
  const std::string& path;
  const char* flag;
};

absl::Status Wrong(const NamedFile& file, absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(file.what, " ", file.path, " (", file.flag,
                                                    ") cannot be used: ", reason));
}

// With OpenSSL's reason for its latest failure.
absl::Status Wrong(const NamedFile& file) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return Wrong(file, reason == nullptr ? "it is not valid" : reason);
}

absl::StatusOr<std::string> ReadText(const NamedFile& file) {
  absl::StatusOr<RegularFile> read = ReadRegularFile(file.path);
  if (!read.ok()) return Wrong(file, read.status().message());
  if (read->text.empty()) return Wrong(file, "it is empty");
  return std::move(read->text);
}

Input InputOf(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

// At least one.
absl::StatusOr<std::vector<Certificate>> CertificatesIn(const NamedFile& file,
                                                        const std::string& text) {
  const Input in = InputOf(text);
  std::vector<Certificate> certificates;
  while (X509* const next = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) {
    // Owned before there may be no memory for one more.
    Certificate owned(next, X509_free);
    certificates.push_back(std::move(owned));
  }
  const bool has_ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (certificates.empty() || !has_ended) return Wrong(file);
  ERR_clear_error();
  return certificates;
}

// As DER has it.
std::string BinaryOf(X509* certificate) {
  std::string binary(static_cast<size_t>(std::max(i2d_X509(certificate, nullptr), 0)), '\0');
  auto* end = reinterpret_cast<unsigned char*>(binary.data());
  i2d_X509(certificate, &end);
  return binary;
}

// `otherwise` if it is not a time.
absl::Time TimeOf(const ASN1_TIME* time, absl::Time otherwise) {
  tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return otherwise;
  return absl::FromUnixSeconds(timegm(&parts));
}

Validity ValidityOf(X509* certificate) {
  return {TimeOf(X509_get0_notBefore(certificate), absl::InfiniteFuture()),
          TimeOf(X509_get0_notAfter(certificate), absl::InfinitePast())};
}

std::string NameOf(X509* certificate) {
  const std::unique_ptr<char, void (*)(char*)> name(
      X509_NAME_oneline(X509_get_subject_name(certificate), nullptr, 0),
      [](char* text) { OPENSSL_free(text); });
  return name == nullptr ? std::string() : std::string(name.get());
}

// OpenSSL would ask for the password of an encrypted key on the terminal.
int GiveNoPassword(char*, int, int, void*) { return -1; }

absl::Status CheckKey(const NamedFile& file, const std::string& text, X509* certificate) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      PEM_read_bio_PrivateKey(InputOf(text).get(), nullptr, GiveNoPassword, nullptr),
      EVP_PKEY_free);
  if (key == nullptr) return Wrong(file);
  if (X509_check_private_key(certificate, key.get()) == 1) return absl::OkStatus();
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (reason != X509_R_KEY_VALUES_MISMATCH && reason != X509_R_KEY_TYPE_MISMATCH) {
    return Wrong(file);
  }
  ERR_clear_error();
  return Wrong(file, "it is not the key of --tls-certificate's certificate");
}

// Whether OpenSSL would serve with it; it refuses weak ones, for example.
absl::Status CheckServable(const NamedFile& file, X509* certificate) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_server_method()),
                                                             SSL_CTX_free);
  if (context == nullptr) return absl::InternalError("OpenSSL cannot create a TLS context");
  if (SSL_CTX_use_certificate(context.get(), certificate) != 1) return Wrong(file);
  return absl::OkStatus();
}

// gRPC's own credentials of TLS, which ask at each new connection whether there is something new.
// While there is not, or gRPC cannot use that, it goes on with what it had. It asks on the thread
// that hands the connection over. That has to be one thread, the listener's, since gRPC does not
// guard what it replaces then.
class Credentials : public grpc::ServerCredentials {
 public:
  explicit Credentials(std::shared_ptr<ServedTls> tls) : tls_(std::move(tls)) {}

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    const auto asked = tls_->texts()->client_ca.empty()
                           ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                           : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
    grpc_server_credentials* const made = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(asked, &Fetch, this));
    const int port = grpc_server_add_http2_port(server, address.c_str(), made);
    grpc_server_credentials_release(made);
    return port;
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<Credentials*>(self)->Fetch(config);
  }
  grpc_ssl_certificate_config_reload_status Fetch(grpc_ssl_server_certificate_config** config) {
    const std::shared_ptr<const TlsTexts> texts = tls_->texts();
    if (texts == given_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    // gRPC insists on certificates that sign those of callers, also where it asks callers for none.
    const std::string& roots = texts->client_ca.empty() ? texts->certificate : texts->client_ca;
    const grpc_ssl_pem_key_cert_pair pair = {texts->key.c_str(), texts->certificate.c_str()};
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    given_ = texts;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<ServedTls> tls_;
  std::shared_ptr<const TlsTexts> given_;  // Null at first.
};

}  // namespace

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files) {
  if (files.certificate.empty() || files.key.empty()) {
    return absl::InvalidArgumentError("TLS needs both --tls-certificate and --tls-key");
  }
  const NamedFile certificate = {"the TLS certificate", files.certificate, "--tls-certificate"};
  const NamedFile key = {"the TLS key", files.key, "--tls-key"};
  const NamedFile client_ca = {"the file of certificates that sign callers'", files.client_ca,
                               "--tls-client-ca"};
  TlsTexts texts;
  ERR_clear_error();
  SLIPSTREAM_ASSIGN_OR_RETURN(texts.certificate, ReadText(certificate));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Certificate> chain,
                              CertificatesIn(certificate, texts.certificate));
  SLIPSTREAM_RETURN_IF_ERROR(CheckServable(certificate, chain.front().get()));
  SLIPSTREAM_ASSIGN_OR_RETURN(texts.key, ReadText(key));
  SLIPSTREAM_RETURN_IF_ERROR(CheckKey(key, texts.key, chain.front().get()));
  texts.validity = {absl::InfinitePast(), absl::InfiniteFuture()};
  for (const Certificate& each : chain) {
    const Validity validity = ValidityOf(each.get());
    texts.validity.begin = std::max(texts.validity.begin, validity.begin);
    texts.validity.end = std::min(texts.validity.end, validity.end);
  }
  if (files.client_ca.empty()) return texts;
  SLIPSTREAM_ASSIGN_OR_RETURN(texts.client_ca, ReadText(client_ca));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Certificate> authorities,
                              CertificatesIn(client_ca, texts.client_ca));
  for (const Certificate& each : authorities) {
    texts.authorities[BinaryOf(each.get())] = {NameOf(each.get()), ValidityOf(each.get())};
  }
  return texts;
}

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(std::shared_ptr<ServedTls> tls) {
  if (tls == nullptr) return grpc::InsecureServerCredentials();
  return std::make_shared<Credentials>(std::move(tls));
}

}  // namespace slipstream
