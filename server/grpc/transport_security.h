// How connections are encrypted.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(TlsTexts texts, ReadTlsFiles(files));
//   const auto served = std::make_shared<ServedTls>(std::move(texts));
//   builder.AddListeningPort(address, MakeServerCredentials(served));
//   ...
//   served->Replace(*ReadTlsFiles(files));      // For connections from then on.
//
// gRPC's own FileWatcherCertificateProvider is not used: with files that do not fit together it
// refuses all new connections, and with an empty certificate, which is what a file that is being
// written looks like, it ends the process.
#ifndef SLIPSTREAM_SERVER_GRPC_TRANSPORT_SECURITY_H_
#define SLIPSTREAM_SERVER_GRPC_TRANSPORT_SECURITY_H_

#include <grpcpp/security/server_credentials.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace slipstream {

// Files in PEM form.
struct TlsFiles {
  // The server's certificate, followed by those that it is signed with but the root's; empty for
  // plaintext.
  std::string certificate = {};
  std::string key = {};  // The certificate's private key, unencrypted.
  // Certificates that sign those of callers, which then must have one; empty: callers need none.
  std::string client_ca = {};

  bool is_set() const { return !certificate.empty() || !key.empty() || !client_ca.empty(); }
};

// When a certificate is valid.
struct Validity {
  absl::Time begin;
  absl::Time end;  // No longer valid from then on.

  bool Contains(absl::Time time) const { return begin <= time && time < end; }
};

// A certificate that signs those of callers.
struct Authority {
  std::string name;  // As "/CN=Example".
  Validity validity;
};

// What is in these files, which fit together.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string client_ca;
  std::map<std::string, Authority> authorities;  // The certificates of client_ca, by binary form.
  // From when all of the certificates in the certificate's file have begun until the first of them
  // ends: callers refuse the server before and from then on.
  Validity validity;
};

// FAILED_PRECONDITION naming the file, its flag and what is wrong with it: it cannot be read, is
// not PEM, or the key is not the certificate's. INVALID_ARGUMENT if only one of them is given.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

// What new connections are encrypted with. Thread-safe.
class ServedTls {
 public:
  explicit ServedTls(TlsTexts texts) : texts_(std::make_shared<const TlsTexts>(std::move(texts))) {}

  // For connections from now on. Whether callers need certificates stays as it was.
  void Replace(TlsTexts texts) {
    auto next = std::make_shared<const TlsTexts>(std::move(texts));
    const std::lock_guard lock(mutex_);
    texts_ = std::move(next);
  }
  std::shared_ptr<const TlsTexts> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsTexts> texts_;  // Never null.
};

// Plaintext if `tls` is null.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(std::shared_ptr<ServedTls> tls);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_TRANSPORT_SECURITY_H_
