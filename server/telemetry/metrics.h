// The server's figures in the form that Prometheus reads. The one place that names metrics.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_METRICS_H_
#define SLIPSTREAM_SERVER_TELEMETRY_METRICS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/service/service_figures.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

// A file that is read again when it changes.
struct FileInForce {
  std::string name;          // "tokens", "quotas" or "tls".
  bool is_in_force = false;  // What it says now; if not, what it said before.
};

// All figures at one moment.
struct ServerFigures {
  std::string version;
  std::vector<CallMonitor::Answered> calls;
  int64_t open_calls = 0;
  // Refused because of the limits of connections, in all and of their address.
  int64_t refused_connections = 0;
  int64_t refused_connections_of_an_address = 0;
  int64_t failed_handshakes = 0;  // Of TLS.
  int64_t audit_failures = 0;  // Calls that are missing from the audit log.
  // When the certificate of TLS ends; absent without TLS.
  std::optional<absl::Time> certificate_end = {};
  std::vector<FileInForce> files = {};
  // When the newest backup was made or, without one, when the server began; absent if none can be
  // made by a call.
  std::optional<absl::Time> last_backup = {};
  ServiceFigures service;
  std::optional<StoreCounts> counts;  // Absent if the store could not be read.
};

// In Prometheus' text format, with what the process uses. Reads /proc.
std::string MetricsText(const ServerFigures& figures);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_METRICS_H_
