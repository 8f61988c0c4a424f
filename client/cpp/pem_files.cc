#include "client/cpp/pem_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace slipstream::pem {
namespace {

using Input = std::unique_ptr<BIO, int (*)(BIO*)>;

Input InputOf(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

absl::Status Unusable(const char* reason) { return absl::FailedPreconditionError(reason); }

// With OpenSSL's reason for its latest failure.
absl::Status Unusable() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return Unusable(reason == nullptr ? "it is not valid" : reason);
}

bool HasFoundNothing() { return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE; }

// OpenSSL would ask on the terminal.
int GiveNoPassword(char*, int, int, void*) { return -1; }

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Unusable(std::strerror(errno));
  std::ostringstream read;
  read << in.rdbuf();  // Nothing of a folder, where an iterator would throw.
  std::string text = std::move(read).str();
  if (text.empty()) return Unusable("it is empty or a folder");
  return text;
}

absl::StatusOr<std::vector<Certificate>> CertificatesIn(const std::string& text) {
  ERR_clear_error();
  const Input in = InputOf(text);
  std::vector<Certificate> certificates;
  while (X509* const next = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next, X509_free);
  }
  if (!HasFoundNothing()) return Unusable();
  ERR_clear_error();
  if (certificates.empty()) return Unusable("it has no certificate in PEM form");
  return certificates;
}

absl::StatusOr<PrivateKey> KeyIn(const std::string& text) {
  ERR_clear_error();
  PrivateKey key(PEM_read_bio_PrivateKey(InputOf(text).get(), nullptr, GiveNoPassword, nullptr),
                 EVP_PKEY_free);
  if (key != nullptr) return key;
  const absl::Status reason = Unusable();
  if (text.find("ENCRYPTED") != std::string::npos) return Unusable("it is encrypted");
  const bool has_key = text.find("PRIVATE KEY-----") != std::string::npos;
  return has_key ? reason : Unusable("it has no private key in PEM form");
}

absl::Status CheckFit(X509* certificate, EVP_PKEY* key) {
  ERR_clear_error();
  return X509_check_private_key(certificate, key) == 1 ? absl::OkStatus() : Unusable();
}

absl::Status CheckUsable(X509* certificate) {
  ERR_clear_error();
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_method()),
                                                             SSL_CTX_free);
  if (context == nullptr) return Unusable();
  return SSL_CTX_use_certificate(context.get(), certificate) == 1 ? absl::OkStatus() : Unusable();
}

}  // namespace slipstream::pem
