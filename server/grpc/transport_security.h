// How connections are encrypted.
#ifndef SLIPSTREAM_SERVER_GRPC_TRANSPORT_SECURITY_H_
#define SLIPSTREAM_SERVER_GRPC_TRANSPORT_SECURITY_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace slipstream {

// Files in PEM form, which are read again when they change.
struct TlsFiles {
  // The server's certificate, followed by those that it is signed with but the root's; empty for
  // plaintext.
  std::string certificate = {};
  std::string key = {};  // The certificate's private key, unencrypted.
  // Certificates that sign those of callers, which then must have one; empty: callers need none.
  std::string client_ca = {};
  // How often to look for changes.
  unsigned refresh_seconds = 5;

  bool is_set() const { return !certificate.empty() || !key.empty() || !client_ca.empty(); }
};

// FAILED_PRECONDITION naming the file and what is wrong with it: it cannot be read, is not PEM,
// the key is not the certificate's, or only one of them is given.
absl::Status CheckTlsFiles(const TlsFiles& files);

// Plaintext if no file is set. `files` have passed CheckTlsFiles.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const TlsFiles& files);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_TRANSPORT_SECURITY_H_
