// Who may call the server and how much each project may take: the files that say so, which are read
// again when they change.
#ifndef SLIPSTREAM_SERVER_PERMISSIONS_H_
#define SLIPSTREAM_SERVER_PERMISSIONS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/gate.h"
#include "server/access/token_verifier.h"
#include "server/file/watched_file.h"
#include "server/flags.h"
#include "server/quota/quotas.h"
#include "server/service/server_condition.h"
#include "server/telemetry/log.h"

namespace slipstream {

// Not thread-safe, but for AppendFilesInForce and what the flags' options point to.
class Permissions {
 public:
  // Reads the files that the flags name, and points their options to what these say. Warns of
  // settings that an operator may not intend. Errors are those of ReadTokenFile and ReadQuotaFile.
  // `log` must outlive the result, and the result the store, the service and the server.
  // `on_verifying_thread` is called first of all on the thread that verifies tokens.
  static absl::StatusOr<std::unique_ptr<Permissions>> Open(
      Flags* flags, Log* log, std::function<void()> on_verifying_thread = [] {});

  // Reads files that have changed; after an error, what they said before stays in force.
  void ReadAgain();

  // Appends, of each file, whether what is in force is what it says.
  void AppendFilesInForce(std::vector<FileInForce>* files) const;

 private:
  // Who may call.
  struct Callers {
    Callers(const std::string& token_file, TokenVerifierOptions options);

    TokenVerifier verifier;
    Gate gate{&verifier};
    size_t tokens = 0;
    size_t by_certificate = 0;  // Of these.
    WatchedFile file;
  };
  // What projects may have.
  struct Limits {
    explicit Limits(const std::string& quota_file);

    Quotas quotas;
    size_t projects = 0;  // With a line of their own.
    WatchedFile file;
  };

  explicit Permissions(Log* log) : log_(*log) {}

  void WarnOf(const Flags& flags);
  void WarnOfCertificates();
  // Whether the file has changed, and what it says now is in force.
  bool ReadAgain(WatchedFile& file, const char* kept);

  Log& log_;
  bool knows_certificates_ = false;  // Callers show theirs.
  std::optional<Callers> callers_;  // None: everybody may do everything.
  std::optional<Limits> limits_;    // None: no project is limited.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_PERMISSIONS_H_
