// The server's figures in the form that Prometheus reads. The one place that names metrics.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_METRICS_H_
#define SLIPSTREAM_SERVER_TELEMETRY_METRICS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/service/server_condition.h"
#include "server/service/service_figures.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

// All figures at one moment.
struct ServerFigures {
  std::string version;
  std::vector<CallMonitor::Answered> calls;
  int64_t open_calls = 0;
  // Refused because of the limits of connections, in all and of their address.
  int64_t refused_connections = 0;
  int64_t refused_connections_of_an_address = 0;
  // Closed as they had too many calls, or left a message incomplete.
  int64_t closed_connections = 0;
  int64_t failed_handshakes = 0;  // Of TLS.
  int64_t audit_failures = 0;  // Calls that are missing from the audit log.
  ServerCondition condition = {};
  // Since when the store has had something that no backup has, if there is none; absent if none
  // can be made by a call.
  std::optional<absl::Time> without_backup_since = {};
  ServiceFigures service;
  std::optional<StoreCounts> counts;  // Absent if the store could not be read.
};

// In Prometheus' text format, with what the process uses. Reads /proc.
std::string MetricsText(const ServerFigures& figures);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_METRICS_H_
