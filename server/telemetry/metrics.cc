#include "server/telemetry/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "server/quota/quotas.h"
#include "server/telemetry/process_figures.h"

namespace slipstream {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

class Families {
 public:
  void Gauge(const char* name, const char* help, auto value, Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = static_cast<double>(value);
    Add(name, help, MetricType::Gauge, std::move(metric));
  }
  void Counter(const char* name, const char* help, auto value, Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.counter.value = static_cast<double>(value);
    Add(name, help, MetricType::Counter, std::move(metric));
  }
  void Histogram(const char* name, const char* help, const HistogramFigures& figures,
                 Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    uint64_t cumulative = 0;
    for (size_t i = 0; i < figures.counts.size(); ++i) {
      cumulative += static_cast<uint64_t>(figures.counts[i]);
      const bool is_last = i == figures.bounds.size();
      metric.histogram.bucket.push_back(
          {cumulative, is_last ? std::numeric_limits<double>::infinity() : figures.bounds[i]});
    }
    metric.histogram.sample_count = cumulative;
    metric.histogram.sample_sum = figures.sum;
    Add(name, help, MetricType::Histogram, std::move(metric));
  }

  std::string Text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  // Metrics of one family come one after the other.
  void Add(const char* name, const char* help, MetricType type, ClientMetric metric) {
    if (families_.empty() || families_.back().name != name) {
      families_.push_back({name, help, type, {}});
    }
    families_.back().metric.push_back(std::move(metric));
  }

  std::vector<MetricFamily> families_;
};

// A name for all methods that the server does not have: callers could think of any number.
std::string MethodName(const std::optional<Rpc>& rpc) {
  return rpc.has_value() ? std::string(EntryOf(*rpc).name) : "unknown";
}

bool IsFaultOfServer(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss || code == absl::StatusCode::kUnavailable;
}

// Each method has a counter from the start, as Prometheus does not see a counter's first value as
// an increase.
void AddFailures(const std::vector<CallMonitor::Answered>& calls, Families* families) {
  std::array<int64_t, kRpcCount> failures = {};
  for (const CallMonitor::Answered& answered : calls) {
    if (!answered.rpc.has_value() || !IsFaultOfServer(answered.code)) continue;
    failures[static_cast<size_t>(*answered.rpc)] += answered.seconds.count();
  }
  for (size_t rpc = 0; rpc < kRpcCount; ++rpc) {
    families->Counter("slipstream_rpc_failures_total",
                      "Calls that failed through the server's fault: those answered with INTERNAL, "
                      "UNKNOWN, DATA_LOSS or UNAVAILABLE",
                      failures[rpc], {{"method", MethodName(static_cast<Rpc>(rpc))}});
  }
}

void AddCalls(const ServerFigures& figures, Families* families) {
  for (const CallMonitor::Answered& answered : figures.calls) {
    families->Histogram(
        "slipstream_rpc_duration_seconds", "How long calls took until they were answered",
        answered.seconds,
        {{"method", MethodName(answered.rpc)}, {"code", absl::StatusCodeToString(answered.code)}});
  }
  AddFailures(figures.calls, families);
  families->Gauge("slipstream_open_calls", "Calls that have not been answered yet",
                  figures.open_calls);
  families->Gauge("slipstream_watchers", "Callers that watch studies", figures.service.watchers);
  families->Gauge("slipstream_watchers_limit", "Maximum number of callers that may watch studies",
                  figures.service.watchers_limit);
}

void AddQueuesAndCaches(const ServiceFigures& figures, Families* families) {
  for (const ServiceFigures::Queue& queue : figures.queues) {
    families->Gauge("slipstream_queue_waiting", "Entries that wait in a queue", queue.waiting,
                    {{"queue", queue.name}});
  }
  for (const ServiceFigures::Queue& queue : figures.queues) {
    families->Gauge("slipstream_queue_limit", "Maximum number of entries that may wait in a queue",
                    queue.limit, {{"queue", queue.name}});
  }
  for (const ServiceFigures::Cache& cache : figures.caches) {
    families->Gauge("slipstream_cache_bytes", "Approximate size of a cache's content", cache.bytes,
                    {{"cache", cache.name}});
  }
  for (const ServiceFigures::Cache& cache : figures.caches) {
    families->Gauge("slipstream_cache_limit_bytes", "Maximum size of a cache's content",
                    cache.limit, {{"cache", cache.name}});
  }
}

void AddSuggestions(const ServiceFigures& figures, Families* families) {
  constexpr const char* kRungs[] = {"recipe", "without_transfer", "quasi_random"};
  for (size_t i = 0; i < figures.rungs.size(); ++i) {
    families->Counter("slipstream_suggestions_total",
                      "Suggestions by the rung of the ladder of fallbacks that made them",
                      figures.rungs[i], {{"rung", kRungs[i]}});
  }
  families->Histogram("slipstream_suggestion_transfer_weight",
                      "Weight of source tasks in suggestions of studies that have some",
                      figures.transfer_weights);
  families->Counter("slipstream_prepared_suggestions_total", "Suggestions that models precomputed",
                    figures.prepared);
  families->Counter("slipstream_prepared_suggestions_used_total",
                    "Precomputed suggestions that were given to callers", figures.prepared_used);
  families->Counter("slipstream_prepared_suggestions_wasted_total",
                    "Precomputed suggestions that became invalid before a caller asked",
                    figures.prepared_wasted);
  families->Counter("slipstream_source_fits_total", "Models fitted to source tasks",
                    figures.source_fits);
  families->Counter("slipstream_source_fit_failures_total", "Source tasks that could not be fitted",
                    figures.failed_source_fits);
  families->Counter("slipstream_leases_run_out_total", "Leases that ran out", figures.stale_leases);
  families->Counter("slipstream_studies_expired_total",
                    "Studies deleted because they were completed long ago",
                    figures.expired_studies);
  families->Counter("slipstream_configurations_requeued_total",
                    "Configurations queued again after their lease ran out", figures.queued_again);
  families->Counter("slipstream_lease_clock_gaps_total",
                    "Times that leases' time stood still, as the clock was set, or another "
                    "server's differs, by more than a minute",
                    figures.lease_clock_gaps);
}

void AddUpkeep(const ServiceFigures& figures, Families* families) {
  const auto failures = [&](const char* task, int64_t count) {
    families->Counter("slipstream_upkeep_failures_total",
                      "Failures to end leases that have run out, to delete studies that were "
                      "completed long ago, and to make backups",
                      count, {{"task", task}});
  };
  failures("leases", figures.failed_lease_sweeps);
  failures("expiry", figures.failed_expiries);
  failures("backups", figures.failed_backups);
}

void AddRefusals(const ServerFigures& server, Families* families) {
  const ServiceFigures& figures = server.service;
  const auto connections = [&](const char* limit, int64_t count) {
    families->Counter("slipstream_refused_connections_total",
                      "Connections refused because of the limits of connections", count,
                      {{"limit", limit}});
  };
  connections("all", server.refused_connections);
  connections("address", server.refused_connections_of_an_address);
  families->Counter("slipstream_closed_connections_total",
                    "Connections closed because they had too many calls, or left a message "
                    "incomplete for too long",
                    server.closed_connections);
  families->Counter("slipstream_failed_handshakes_total",
                    "TLS handshakes that failed, that their callers left, or that took longer than "
                    "the server waits",
                    server.failed_handshakes);
  for (size_t i = 0; i < kQuotaKinds; ++i) {
    families->Counter("slipstream_quota_refusals_total",
                      "Calls refused because a project would have exceeded its quota",
                      figures.quota_refusals[i],
                      {{"quota", std::string(NameOf(static_cast<QuotaKind>(i)))}});
  }
}

void AddCertificates(const ServerCondition& condition, Families* families) {
  const auto add = [&](const char* name, const char* help, const std::optional<absl::Time>& end) {
    if (!end.has_value()) return;
    families->Gauge(name, help, absl::ToDoubleSeconds(*end - absl::UnixEpoch()));
  };
  add("slipstream_tls_certificate_expiry_timestamp_seconds",
      "When the server's TLS certificate expires, in seconds since 1970",
      condition.certificate_end);
  add("slipstream_tls_client_ca_expiry_timestamp_seconds",
      "When the first of the certificates that sign callers' expires, in seconds since 1970",
      condition.authorities_end);
}

void AddStore(const StoreFigures& figures, Families* families) {
  const DatabaseFigures& database = figures.database;
  families->Gauge("slipstream_store_takes_writes", "1 if changes can be made, else 0",
                  database.refusal.empty() ? 1 : 0);
  families->Histogram("slipstream_store_commit_duration_seconds",
                      "How long commits took until they were durable", database.commit_seconds);
  families->Histogram("slipstream_store_sync_duration_seconds",
                      "How long the disk took to make writes durable",
                      database.sync_seconds);
  families->Counter("slipstream_store_failed_commits_total",
                    "Transactions whose changes the disk did not take", database.failed_commits);
  families->Histogram("slipstream_store_writes_per_commit", "Changes that shared a commit",
                      figures.writes_per_commit);
  families->Gauge("slipstream_store_file_bytes", "Size of the database file", database.file_bytes);
  families->Gauge("slipstream_store_log_bytes", "Size of the write-ahead log", database.log_bytes);
  if (database.free_bytes.has_value()) {
    families->Gauge("slipstream_store_disk_free_bytes", "Free space of the disk with the database",
                    *database.free_bytes);
  }
}

void AddCounts(const StoreCounts& counts, Families* families) {
  families->Gauge("slipstream_studies", "Studies stored", counts.studies);
  families->Gauge("slipstream_trials", "Trials stored, in any state", counts.trials);
  families->Gauge("slipstream_source_tasks", "Source tasks stored", counts.source_tasks);
}

// By the names that exporters of all programs give them.
void AddProcess(const ProcessFigures& process, Families* families) {
  families->Gauge("process_resident_memory_bytes", "Memory in use", process.resident_bytes);
  families->Gauge("process_open_fds", "Open file descriptors", process.open_descriptors);
  families->Gauge("process_max_fds", "Limit of open file descriptors", process.most_descriptors);
  families->Counter("process_cpu_seconds_total", "Processor time used", process.cpu_seconds);
  families->Gauge("process_start_time_seconds", "When the process started, in seconds since 1970",
                  process.start_seconds);
}

}  // namespace

std::string MetricsText(const ServerFigures& figures) {
  Families families;
  families.Gauge("slipstream_build_info", "Always 1; its label is the server's version", 1,
                 {{"version", figures.version}});
  AddCalls(figures, &families);
  AddQueuesAndCaches(figures.service, &families);
  AddSuggestions(figures.service, &families);
  AddUpkeep(figures.service, &families);
  AddRefusals(figures, &families);
  families.Counter("slipstream_audit_failures_total", "Calls that are missing from the audit log",
                   figures.audit_failures);
  const ServerCondition& condition = figures.condition;
  AddCertificates(condition, &families);
  for (const FileInForce& file : condition.files) {
    families.Gauge("slipstream_file_in_force",
                   "1 if what a file says is in force, 0 if a mistake in it keeps what it said "
                   "before",
                   file.is_in_force ? 1 : 0, {{"file", file.name}});
  }
  if (figures.without_backup_since.has_value()) {
    families.Gauge("slipstream_backup_timestamp_seconds",
                   "When the newest backup in --backup-folder was made; without one, when the "
                   "oldest study was made; without any study, when the server began",
                   absl::ToDoubleSeconds(
                       condition.last_backup.value_or(*figures.without_backup_since) -
                       absl::UnixEpoch()));
  }
  AddStore(figures.service.store, &families);
  if (figures.counts.has_value()) AddCounts(*figures.counts, &families);
  AddProcess(ReadProcessFigures(), &families);
  return families.Text();
}

}  // namespace slipstream
