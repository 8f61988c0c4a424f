#include "server/telemetry/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HistogramFigures OneValue(double value) {
  Histogram histogram({1, 2});
  histogram.Observe(value);
  return histogram.Figures();
}

ServerFigures Example() {
  ServerFigures figures;
  figures.version = "9.9";
  figures.open_calls = 3;
  figures.audit_failures = 33;
  figures.failed_handshakes = 34;
  figures.refused_connections = 31;
  figures.refused_connections_of_an_address = 32;
  figures.closed_connections = 35;
  figures.calls = {{Rpc::kObserve, absl::StatusCode::kOk, OneValue(1.5)},
                   {Rpc::kObserve, absl::StatusCode::kNotFound, OneValue(5)}};
  figures.service.queues = {{"reads", 7, 100}};
  figures.service.caches = {{"histories", 1000, 2000}};
  figures.service.rungs = {11, 12, 13};
  figures.service.quota_refusals = {21, 22, 23, 24, 25};
  figures.service.transfer_weights = OneValue(0.5);
  figures.service.store.database.commit_seconds = OneValue(0.5);
  figures.counts = StoreCounts{1, 2, 3};
  return figures;
}

TEST(Metrics, CallsAreCountedByMethodAndCode) {
  const std::string text = MetricsText(Example());
  EXPECT_THAT(text, HasSubstr("# TYPE slipstream_rpc_duration_seconds histogram\n"));
  const std::string observed = "slipstream_rpc_duration_seconds";
  EXPECT_THAT(text, HasSubstr(observed + "_bucket{method=\"Observe\",code=\"OK\",le=\"1\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(observed + "_bucket{method=\"Observe\",code=\"OK\",le=\"2\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(observed + "_count{method=\"Observe\",code=\"NOT_FOUND\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(observed + "_sum{method=\"Observe\",code=\"NOT_FOUND\"} 5\n"));
  EXPECT_THAT(
      text, HasSubstr(observed + "_bucket{method=\"Observe\",code=\"NOT_FOUND\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_open_calls 3\n"));
}

TEST(Metrics, CallsOfMethodsThatThereAreNotHaveOneLabel) {
  ServerFigures figures = Example();
  figures.calls.push_back({std::nullopt, absl::StatusCode::kUnimplemented, OneValue(0)});
  EXPECT_THAT(MetricsText(figures),
              HasSubstr("slipstream_rpc_duration_seconds_count{method=\"unknown\","
                        "code=\"UNIMPLEMENTED\"} 1\n"));
}

TEST(Metrics, FailuresThroughTheServersFaultAreCountedFromZeroForEachMethod) {
  const std::string failures = "slipstream_rpc_failures_total{method=\"";
  const std::string before = MetricsText(Example());
  for (const RpcEntry& entry : RpcTable()) {
    EXPECT_THAT(before, HasSubstr(absl::StrCat(failures, entry.name, "\"} 0\n")));
  }
  ServerFigures figures = Example();
  for (const absl::StatusCode code : {absl::StatusCode::kInternal, absl::StatusCode::kUnavailable,
                                      absl::StatusCode::kResourceExhausted}) {
    figures.calls.push_back({Rpc::kSuggest, code, OneValue(1)});
  }
  EXPECT_THAT(MetricsText(figures), HasSubstr(failures + "Suggest\"} 2\n"));
}

TEST(Metrics, RefusedConnectionsAndMissingLinesAreCounted) {
  const std::string text = MetricsText(Example());
  EXPECT_THAT(text, HasSubstr("slipstream_refused_connections_total{limit=\"all\"} 31\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_refused_connections_total{limit=\"address\"} 32\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_closed_connections_total 35\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_failed_handshakes_total 34\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_audit_failures_total 33\n"));
}

TEST(Metrics, FailuresOfUpkeepAreCountedByTask) {
  ServerFigures figures = Example();
  figures.service.failed_lease_sweeps = 41;
  figures.service.failed_expiries = 42;
  figures.service.failed_backups = 43;
  const std::string text = MetricsText(figures);
  EXPECT_THAT(text, HasSubstr("slipstream_upkeep_failures_total{task=\"leases\"} 41\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_upkeep_failures_total{task=\"expiry\"} 42\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_upkeep_failures_total{task=\"backups\"} 43\n"));
}

TEST(Metrics, LeasesThatEndAndTimesThatTheyDoNotRunOnAreCounted) {
  ServerFigures figures = Example();
  figures.service.stale_leases = 51;
  figures.service.queued_again = 52;
  figures.service.lease_clock_gaps = 53;
  const std::string text = MetricsText(figures);
  EXPECT_THAT(text, HasSubstr("slipstream_leases_run_out_total 51\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_configurations_requeued_total 52\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_lease_clock_gaps_total 53\n"));
}

TEST(Metrics, TheEndOfTheCertificateIsToldWhereThereIsOne) {
  ServerFigures figures = Example();
  EXPECT_THAT(MetricsText(figures), Not(HasSubstr("slipstream_tls_certificate")));
  figures.condition.certificate_end = absl::FromUnixSeconds(1'800'000'000);
  EXPECT_THAT(MetricsText(figures),
              HasSubstr("slipstream_tls_certificate_expiry_timestamp_seconds 1800000000\n"));
}

TEST(Metrics, WithoutABackupItIsToldSinceWhenOneWasPossible) {
  constexpr const char* kMetric = "slipstream_backup_timestamp_seconds";
  ServerFigures figures = Example();
  EXPECT_THAT(MetricsText(figures), Not(HasSubstr(kMetric)));
  figures.without_backup_since = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_THAT(MetricsText(figures), HasSubstr(absl::StrCat(kMetric, " 1700000000\n")));
  figures.condition.last_backup = absl::FromUnixSeconds(1'800'000'000);
  EXPECT_THAT(MetricsText(figures), HasSubstr(absl::StrCat(kMetric, " 1800000000\n")));
}

TEST(Metrics, QueuesCachesAndRungsAreToldByName) {
  const std::string text = MetricsText(Example());
  EXPECT_THAT(text, HasSubstr("slipstream_queue_waiting{queue=\"reads\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_cache_limit_bytes{cache=\"histories\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_suggestions_total{rung=\"recipe\"} 11\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_suggestions_total{rung=\"without_transfer\"} 12\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_suggestions_total{rung=\"quasi_random\"} 13\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_build_info{version=\"9.9\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_trials 2\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_quota_refusals_total{quota=\"studies\"} 21\n"));
  EXPECT_THAT(text, HasSubstr("slipstream_quota_refusals_total{quota=\"mib\"} 24\n"));
}

TEST(Metrics, TheStoreTakesWritesUntilItRefusesThem) {
  ServerFigures figures = Example();
  EXPECT_THAT(MetricsText(figures), HasSubstr("slipstream_store_takes_writes 1\n"));
  figures.service.store.database.refusal = "the disk is full";
  EXPECT_THAT(MetricsText(figures), HasSubstr("slipstream_store_takes_writes 0\n"));
  figures.counts.reset();
  EXPECT_THAT(MetricsText(figures), Not(HasSubstr("slipstream_trials")));
}

// What Prometheus requires of the format and its conventions ask of names.
TEST(Metrics, EachFamilyIsToldOnceAndNamedAfterItsUnit) {
  std::istringstream lines(MetricsText(Example()));
  std::set<std::string> families;
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string hash;
    std::string what;
    std::string name;
    std::string type;
    words >> hash >> what >> name >> type;
    if (hash != "#" || what != "TYPE") continue;
    EXPECT_TRUE(families.insert(name).second) << name << " is told twice";
    EXPECT_EQ(name.ends_with("_total"), type == "counter") << name;
    EXPECT_TRUE(name.starts_with("slipstream_") || name.starts_with("process_")) << name;
  }
  EXPECT_GT(families.size(), 25u);
}

}  // namespace
}  // namespace slipstream
