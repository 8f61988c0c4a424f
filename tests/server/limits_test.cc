// The table of limits in deploy/README.md is the one that the limits themselves give, and has each
// of them. SLIPSTREAM_RECORD=1 writes it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/space/search_space.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"
#include "server/access/token_verifier.h"
#include "server/convert/resource_name.h"
#include "server/convert/study_limits.h"
#include "server/convert/text_limits.h"
#include "server/convert/trial_conversion.h"
#include "server/drain_limit.h"
#include "server/file/column_file.h"
#include "server/flags.h"
#include "server/grpc/listener.h"
#include "server/grpc/memory_bound.h"
#include "server/grpc/server.h"
#include "server/quota/call_rates.h"
#include "server/quota/quota_file.h"
#include "server/service/backup_service.h"
#include "server/service/call_limits.h"
#include "server/service/page.h"
#include "server/service/service_options.h"
#include "server/service/source_task_upload.h"
#include "server/service/status_service.h"
#include "server/service/study_export.h"
#include "server/service/watch_service.h"
#include "server/store/answer_rules.h"
#include "server/store/event_rules.h"
#include "server/store/store_options.h"
#include "server/telemetry/scrape_endpoint.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

std::string ReadmePath() { return RepositoryPath("deploy/README.md"); }
constexpr char kBegin[] = "<!-- limits: written by SLIPSTREAM_RECORD=1 limits_test -->\n";
constexpr char kEnd[] = "<!-- end of limits -->\n";
constexpr char kHead[] = "| limit | default | flag |\n|---|---|---|\n";

std::string Row(const std::string& limit, int64_t value, const std::string& flag = "") {
  std::string digits = absl::StrCat(value);
  for (int place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return absl::StrCat("| ", limit, " | ", digits, " | ", flag.empty() ? "" : "`" + flag + "`",
                      " |\n");
}

template <typename Size>
int64_t Signed(Size size) {
  return static_cast<int64_t>(size);
}

std::string LoadRows() {
  const ServerOptions server;
  const ServiceOptions service;
  const StoreOptions store;
  const TokenVerifierOptions tokens;
  return absl::StrCat(
      Row("connections", server.max_connections, "--max-connections"),
      Row("connections from one address, or from one IPv6 /64 network",
          server.max_connections_per_address, "--max-connections-per-address"),
      Row("seconds until a connection without a call is closed",
          absl::ToInt64Seconds(server.max_idle)),
      Row("seconds until a connection begins HTTP/2", absl::ToInt64Seconds(server.max_handshake)),
      Row("seconds until the answer to a ping", absl::ToInt64Seconds(server.max_ping_answer)),
      Row("seconds between pings of a caller, at least",
          absl::ToInt64Seconds(server.min_pause_of_pings)),
      Row("connections that wait to be accepted", kMostUnacceptedConnections),
      Row("concurrent calls on a connection", server.max_calls_per_connection),
      Row("unfinished calls of a connection, including cancelled ones",
          server.max_unended_calls_per_connection),
      Row("unfinished calls in all", server.max_unended_calls),
      Row("concurrent calls of reflection", server.max_reflections),
      Row("bytes of the metadata of a call", server.max_metadata_bytes),
      Row("bytes of a message", service.max_message_bytes, "--max-message-bytes"),
      Row("MiB for messages, uploads and large requests under way", server.call_memory_bytes >> 20,
          "--call-memory-mib"),
      Row("MiB of these for uploads and large requests", server.request_bytes() >> 20),
      Row("MiB of these for messages and answers under way", server.grpc_bytes() >> 20),
      Row("seconds that an upload may send nothing, or a message stay incomplete",
          absl::ToInt64Seconds(server.max_upload_idle), "--upload-idle-seconds"),
      Row("seconds that a Suggest call computes", absl::ToInt64Seconds(service.suggest_budget),
          "--suggest-seconds"),
      Row("concurrent computations", service.compute_threads, "--compute-threads"),
      Row("concurrent reads", service.read_threads),
      Row("waiting reads", Signed(service.max_waiting_reads)),
      Row("waiting computations", Signed(service.max_waiting_computations)),
      Row("waiting Suggest calls of a study", Signed(service.max_waiting_suggests_per_study)),
      Row("waiting changes", Signed(store.max_waiting_writes)),
      Row("waiting fits of source tasks", Signed(service.max_waiting_fits)),
      Row("waiting backups", Signed(kMostWaitingBackups)),
      Row("tokens waiting to be verified", Signed(tokens.most_waiting)),
      Row("tokens of one name waiting to be verified", Signed(tokens.most_waiting_of_a_name)),
      Row("tokens of one name from one address waiting to be verified",
          Signed(tokens.most_waiting_of_a_name_and_address)),
      Row("watchers", Signed(service.events.max_watchers)),
      Row("watchers of a project, with a token file",
          Signed(service.events.max_watchers_per_project)),
      Row("bytes of events a second to all watchers", service.events.bytes_per_second),
      Row("seconds' worth of calls in a burst of a project with a quota", kMostSecondsSaved),
      Row("concurrent connections to the metrics address", kMostScrapes),
      Row("seconds until a request for metrics has arrived", kMostScrapeRequestSeconds),
      Row("seconds until the metrics have been taken", kMostScrapeAnswerSeconds),
      Row("bytes of a request for metrics", kMostScrapeRequestBytes),
      Row("seconds that calls have to finish while the server drains",
          static_cast<int64_t>(Flags().drain_seconds), "--drain-seconds"),
      Row("seconds that calls have to end once they are cancelled", kMostSecondsToCancel));
}

std::string MemoryRows() {
  const ServiceOptions service;
  const auto mib = [](size_t bytes) { return Signed(bytes >> 20); };
  return absl::StrCat(
      Row("MiB of models of source tasks", mib(service.fitted_source_bytes), "--fitted-source-mib"),
      Row("MiB of source tasks", mib(service.source_cache_bytes)),
      Row("MiB of studies", mib(service.study_cache_bytes)),
      Row("MiB of histories", mib(service.history_cache_bytes)),
      Row("MiB of learning curves", mib(service.curve_cache_bytes)),
      Row("MiB of precomputed suggestions", mib(service.prepared_bytes)),
      Row("events in memory", Signed(service.events.max_events)),
      Row("MiB of memory in all", MostResidentBytes({}, service) >> 20));
}

std::string ContentRows() {
  const StoreOptions store;
  return absl::StrCat(
      Row("trials of a study", store.max_trials_per_study, "--max-trials-per-study"),
      Row("reports of a trial", store.max_reports_per_trial),
      Row("parameters of a space", Signed(SpaceLimits::kMaxParameters)),
      Row("candidates of a space", Signed(SpaceLimits::kMaxCandidates)),
      Row("values of a discrete or categorical parameter", Signed(SpaceLimits::kMaxChoices)),
      Row("bytes of a category", Signed(SpaceLimits::kMaxChoiceBytes)),
      Row("span of an integer parameter", SpaceLimits::kMaxIntegerSpan),
      Row("source tasks of a study", kMaxSources),
      Row("MiB of these source tasks in memory", kMaxSourceBytes >> 20),
      Row("options of a recipe", kMaxRecipeOptions),
      Row("observations of a source task", Signed(SourceTaskUpload::kMaxObservations)),
      Row("trials in a call", kMaxTrialsPerCall), Row("reports in a call", kMostReportsPerCall),
      Row("entries of a page", kMaxPageSize),
      Row("trials of a page, unless the call says how many", kDefaultTrialsPerPage),
      Row("studies of a page, unless the call says how many", kDefaultStudiesPerPage),
      Row("source tasks of a page, unless the call says how many", kDefaultSourceTasksPerPage),
      Row("bytes of a page", Signed(kFullPageBytes)),
      Row("bytes of a message of an export", Signed(StudyExport::kFullBytes)),
      Row("events of a message to a watcher", kMostEventsPerResponse),
      Row("projects in the server's status", kMostProjectsShown),
      Row("labels of a resource", Signed(kMaxLabels)),
      Row("bytes of a label's key", Signed(kMaxLabelKeyBytes)),
      Row("bytes of a label's value", Signed(kMaxLabelValueBytes)),
      Row("bytes of a study's id", Signed(kMaxStudyIdBytes)),
      Row("bytes of a project's name", Signed(kMostProjectBytes)),
      Row("bytes of the name of a token or of a quota's project", Signed(kMostShortNameBytes)),
      Row("bytes of a parameter's name", Signed(SpaceLimits::kMaxNameBytes)),
      Row("bytes of the common name in a caller's certificate", Signed(kMostCommonNameBytes)),
      Row("bytes of the name of a backup", Signed(kMaxBackupNameBytes)),
      Row("bytes of a title", kMaxTitleBytes),
      Row("bytes of a note", kMaxNoteBytes), Row("bytes of a reason", kMaxReasonBytes),
      Row("bytes of an origin", kMaxOriginBytes), Row("bytes of a host", kMaxHostBytes),
      Row("bytes of a version", kMaxVersionBytes), Row("bytes of a name", kMaxNameBytes),
      Row("bytes of a request id", kMaxRequestIdBytes), Row("bytes of a token", kMostTokenBytes),
      Row("passes of a token's hash", kMostHashPasses),
      Row("KiB of a token's hash", kMostHashKibibytes),
      Row("lanes of a token's hash", kMostHashLanes),
      Row("number in the quota file", kMostQuota),
      Row("calls a second in the quota file", kMostCallsPerSecond),
      Row("seconds since 1970 of a time", kMostTimeSeconds),
      Row("seconds of a lease", kMostLeaseSeconds),
      Row("times that a configuration is queued again", kMostRequeues),
      Row("hours that the answer to a request id is kept, at least",
          absl::ToInt64Hours(store.retention), "--request-id-hours"),
      Row("MiB of these answers that a project may have whatever its quota",
          rules::kLeastAnswerBytes >> 20),
      Row("events that are kept, at least", rules::kKeptEvents));
}

std::string Readme() {
  std::ifstream file(ReadmePath(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Limits, TheReadmesTableIsTheirs) {
  std::string readme = Readme();
  const size_t begin = readme.find(kBegin);
  const size_t end = readme.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const size_t table = begin + std::string(kBegin).size();
  const std::string expected = absl::StrCat(kHead, LoadRows(), MemoryRows(), ContentRows());
  if (std::getenv("SLIPSTREAM_RECORD") != nullptr) {
    readme.replace(table, end - table, expected);
    std::ofstream(ReadmePath(), std::ios::binary) << readme;
  } else {
    EXPECT_EQ(readme.substr(table, end - table), expected);
  }
}

// What no caller comes up against: sizes of the server's own steps, and what others are copied to.
const std::set<std::string> kNoLimitsOfCallers = {
    "kMaxTrialNumber",      "kMostFieldBytes", "max_curve_points", "max_leases_per_sweep",
    "max_suggests_per_batch", "max_writes_per_commit", "most_known", "most_pages",
    "most_projects",        "most_remembered",
};

// The same of what sources define for themselves.
const std::set<std::string> kStepsOfSources = {
    "kMaxAttempts",    "kMostAhead",           "kMostBetween",
    "kMostFurther",    "kMostInARow",          "kMostPreparedStudies",
    "kMostRestarts",   "kMostSkipped",         "kMostTrials",
    "kMostTries",      "kMostUntilTrusted",    "kMostWithoutRoom",
    "kMostWorkersOut",
};

// The names in a file of what `limit` finds.
std::set<std::string> NamedIn(const std::filesystem::path& path, const std::regex& limit) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), limit), end; found != end; ++found) {
    names.insert((*found)[1]);
  }
  return names;
}

// Those of a header that have a value and are called a limit.
std::set<std::string> LimitsNamedIn(const std::filesystem::path& header) {
  return NamedIn(header,
                 std::regex(R"([^.\w](max_\w+|most_\w+|kMax\w+|kMost\w+) = (?!0;)[^;]*;)"));
}

// Whoever adds a limit is told here to add its row.
TEST(Limits, EachIsInTheTable) {
  std::set<std::string> limits = LimitsNamedIn(RepositoryPath("core/space/search_space.h"));
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RepositoryPath("server"))) {
    if (entry.path().extension() == ".h") limits.merge(LimitsNamedIn(entry.path()));
  }
  EXPECT_GT(limits.size(), 30u);
  std::ifstream file(RepositoryPath("tests/server/limits_test.cc"));
  const std::string rows{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const std::string& limit : limits) {
    if (kNoLimitsOfCallers.contains(limit)) continue;
    EXPECT_TRUE(std::regex_search(rows, std::regex("\\b" + limit + "\\b")))
        << limit << " has neither a row nor a place among those that no caller comes up against";
  }
  for (const std::string& name : kNoLimitsOfCallers) EXPECT_TRUE(limits.contains(name)) << name;
}

// The table is made from headers, so a limit in a source would be missing there.
TEST(Limits, NoSourceHidesOne) {
  const std::regex limit(R"(\bconstexpr [\w:]+ (kMax\w+|kMost\w+)\b)");
  std::set<std::string> hidden;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RepositoryPath("server"))) {
    if (entry.path().extension() == ".cc") hidden.merge(NamedIn(entry.path(), limit));
  }
  for (const std::string& name : hidden) {
    EXPECT_TRUE(kStepsOfSources.contains(name) || kNoLimitsOfCallers.contains(name))
        << name << " belongs in a header and in the table, unless no caller comes up against it";
  }
  for (const std::string& name : kStepsOfSources) EXPECT_TRUE(hidden.contains(name)) << name;
}

}  // namespace
}  // namespace slipstream
