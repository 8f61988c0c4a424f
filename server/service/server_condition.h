// What an operator should know of a server besides its services' figures.
#ifndef SLIPSTREAM_SERVER_SERVICE_SERVER_CONDITION_H_
#define SLIPSTREAM_SERVER_SERVICE_SERVER_CONDITION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace slipstream {

// A file that is read again when it changes.
struct FileInForce {
  std::string name;          // "tokens", "quotas" or "tls".
  bool is_in_force = false;  // What it says now; if not, what it said before.
};

struct ServerCondition {
  std::vector<FileInForce> files;  // Those that the server was given.
  // When the certificate of TLS ends; absent without TLS.
  std::optional<absl::Time> certificate_end;
  // When the first of the certificates ends that sign callers'; absent if callers need none.
  std::optional<absl::Time> authorities_end = {};
  // When the newest backup was made; absent if there is none.
  std::optional<absl::Time> last_backup;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SERVER_CONDITION_H_
