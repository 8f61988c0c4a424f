// What is in the files of TLS, which are in PEM form, and what is wrong with them.
//
//   const auto chain = pem::CertificatesIn(*pem::ReadText(path));
//   const auto key = pem::KeyIn(*pem::ReadText(key_path));
//   absl::Status status = pem::CheckFit(chain->front().get(), key->get());
//
// All errors are FAILED_PRECONDITION, and their messages are reasons such as "No such file or
// directory", to be completed with the file's name by whoever knows what it is for.
#ifndef SLIPSTREAM_CLIENT_CPP_PEM_FILES_H_
#define SLIPSTREAM_CLIENT_CPP_PEM_FILES_H_

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream::pem {

using Certificate = std::unique_ptr<X509, void (*)(X509*)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;

// What the file holds, which is not nothing.
absl::StatusOr<std::string> ReadText(const std::string& path);

// At least one, and all of them sound.
absl::StatusOr<std::vector<Certificate>> CertificatesIn(const std::string& text);

// A key that is encrypted is not one: nobody is asked for its password.
absl::StatusOr<PrivateKey> KeyIn(const std::string& text);

// Whether it is the certificate's key.
absl::Status CheckFit(X509* certificate, EVP_PKEY* key);

// Whether OpenSSL would use it for a connection; it refuses weak ones, for example.
absl::Status CheckUsable(X509* certificate);

}  // namespace slipstream::pem

#endif  // SLIPSTREAM_CLIENT_CPP_PEM_FILES_H_
