// Counts, times and logs calls.
//
//   monitor.Begin();
//   monitor.End(rpc, status, took, [&] { return FactsOf(request); });
//
// Logs calls that are refused, fail or take long, deletions and imports; at level
// debug also other changes that were made. Thread-safe.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_CALL_MONITOR_H_
#define SLIPSTREAM_SERVER_TELEMETRY_CALL_MONITOR_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/access/rpc_table.h"
#include "server/figures/histogram.h"
#include "server/telemetry/audit_log.h"
#include "server/telemetry/log.h"

namespace slipstream {

// What is known of a call besides its outcome. Empty where it has none.
struct CallFacts {
  std::string resource = {};  // The name of what it is about.
  std::string request_id = {};
  std::string worker = {};
  std::string options = {};     // Those that are on, such as "replace_existing"; commas between.
  bool only_validates = false;  // It changes nothing.
  bool has_begun = false;       // A call that lasts: it was admitted, and read until its end.
  std::string peer = {};        // The caller's address.
  std::string caller = {};      // Who the caller is, by its token or certificate.
};

struct CallMonitorOptions {
  // Calls that take longer are logged.
  absl::Duration slow = absl::Seconds(2);
  // Told of changes; null for none. Must outlive the monitor.
  AuditLog* audit = nullptr;
  // Tells it of reads that succeed, and of those that last and have begun, too.
  bool audit_reads = false;
};

class CallMonitor {
 public:
  // `log` must outlive the monitor.
  explicit CallMonitor(Log* log, CallMonitorOptions options = {}) : log_(*log), options_(options) {}
  ~CallMonitor();

  CallMonitor(const CallMonitor&) = delete;
  CallMonitor& operator=(const CallMonitor&) = delete;

  // A call has come.
  void Begin() { open_.fetch_add(1, std::memory_order_relaxed); }
  // It was answered. `facts` is called if they are needed.
  void End(Rpc rpc, const absl::Status& status, absl::Duration took,
           absl::FunctionRef<CallFacts()> facts);

  // A call of a method that the server does not have was refused at once. All such calls count as
  // one method, whatever callers name them, and share their lines in the log.
  void CountUnknown(const absl::Status& status, const std::string& peer);

  // Calls without an answer.
  int64_t open() const { return open_.load(std::memory_order_relaxed); }

  // How long the calls of one method took that were answered with one code, in seconds.
  struct Answered {
    std::optional<Rpc> rpc;  // Absent: of methods that the server does not have.
    absl::StatusCode code;
    HistogramFigures seconds;
  };
  std::vector<Answered> Figures() const;

 private:
  static constexpr size_t kCodes = 17;  // Those of gRPC.

  // The methods of Rpc, and those that the server does not have.
  static constexpr size_t kMethods = kRpcCount + 1;

  Histogram& SecondsOf(size_t method, absl::StatusCode code);
  // Whether the audit log may have to be told of a call that ended so, by its facts.
  bool MayHaveToAudit(Rpc rpc, const absl::Status& status) const;
  void Audit(Rpc rpc, const CallFacts& facts);
  void LogEnd(Rpc rpc, const absl::Status& status, absl::Duration took,
              absl::FunctionRef<CallFacts()> facts);

  Log& log_;
  const CallMonitorOptions options_;
  std::atomic<int64_t> open_{0};
  // Made when they are needed.
  std::array<std::array<std::atomic<Histogram*>, kCodes>, kMethods> seconds_ = {};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_CALL_MONITOR_H_
